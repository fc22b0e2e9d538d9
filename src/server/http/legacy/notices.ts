import type { Change, MissedChanges } from '../../../protocol/changes.js';
import type { Service } from '../../../protocol/service.js';
import { MAX_NOTICE_STREAMS } from '../../limits.js';
import type { EventLog } from '../replay.js';
import { type HttpSession, pickStream } from './sessions.js';

/** Notifies sessions of changes, on the streams that their clients opened for that. */
export class Notices {
  readonly #service: Service;
  readonly #listening = new Set<HttpSession>();
  /** Undefined until the first session listens. */
  #stopWatching: (() => void) | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Sends the notifications of a session on this stream from now on. */
  add(session: HttpSession, stream: EventLog): void {
    const others = session.streams.filter(other => other !== stream && !other.isStale);
    // An open stream on which nothing will ever be sent would deceive its client.
    while (others.length >= MAX_NOTICE_STREAMS) others.shift()?.end();
    session.streams = [...others, stream];
    this.#listening.add(session);
    this.#stopWatching ??= this.#service.watch(change => this.#tell(change));
  }

  /** Ends the notification streams of a session. */
  end(session: HttpSession): void {
    this.#listening.delete(session);
    for (const stream of session.streams) stream.end();
    session.streams = [];
  }

  close(): void {
    this.#stopWatching?.();
    for (const session of this.#listening) this.end(session);
  }

  #tell(change: Change | MissedChanges): void {
    for (const session of this.#listening) {
      session.streams = session.streams.filter(stream => !stream.isStale);
      if (session.streams.length === 0) this.#listening.delete(session);
      session.tell(this.#service, change, text => pickStream(session.streams)?.announce(text));
    }
  }
}
