import type { Service } from '../../protocol/service.js';
import { Forwarding, type WaitingSession } from './forwarding.js';
import type { ClusterNode } from './node.js';
import { type SessionsHere, type SharedSession, SharedSessions } from './shared-sessions.js';
import { SharedStreams, type StreamsHere } from './shared-streams.js';

/** A session of this node, as far as other nodes have to do with it. */
export interface NodeSession extends WaitingSession, SharedSession {}

/** The parts of an endpoint that other nodes reach. */
export interface Here extends SessionsHere<NodeSession> {
  readonly streams: StreamsHere;
}

/** What the endpoint of the handshake revisions has to do with the other nodes of its server. */
export class Elsewhere {
  /** Begins the ids of the questions of this node. */
  readonly questionPrefix: string;
  readonly sessions: SharedSessions;
  readonly streams: SharedStreams;
  readonly #forwarding: Forwarding;

  constructor(node: ClusterNode, here: Here, warn: Service['warn']) {
    this.questionPrefix = `${node.id}-`;
    this.sessions = new SharedSessions(node, here, warn);
    this.streams = new SharedStreams(node, here.streams);
    this.#forwarding = new Forwarding(node, serial => here.known(serial));
  }

  /** See `Forwarding`. */
  forward(...args: Parameters<Forwarding['forward']>): ReturnType<Forwarding['forward']> {
    return this.#forwarding.forward(...args);
  }

  close(): void {
    this.sessions.close();
    this.streams.close();
    this.#forwarding.close();
  }
}
