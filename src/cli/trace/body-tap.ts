import { createParser } from 'eventsource-parser';
import type { HeaderMap, Passed } from './entry.js';
import { beginning, readMessages } from './read-messages.js';

/** The largest body that is looked at. Larger ones pass all the same. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Reads the messages in a body that is passed on elsewhere. */
export interface BodyTap {
  push(chunk: Buffer): void;
  end(): void;
}

/** What a body contains, as far as a trace shows it. */
export type Found = Pick<Passed, 'message' | 'text'>;

export function tapBody(headers: HeaderMap, found: (found: Found) => void): BodyTap {
  const encoding = headers['content-encoding'];
  if (encoding && encoding !== 'identity') return tapCompressed(encoding, found);
  const isEvents = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
  return isEvents ? tapEvents(found) : tapDocument(found);
}

function tapCompressed(encoding: string, found: (found: Found) => void): BodyTap {
  let bytes = 0;
  return {
    push: chunk => {
      bytes += chunk.length;
    },
    end: () => {
      if (bytes > 0) found({ text: `(${bytes} bytes, compressed with ${encoding})` });
    },
  };
}

/** Each event is read as soon as it is complete. */
function tapEvents(found: (found: Found) => void): BodyTap {
  const decoder = new TextDecoder();
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: MAX_BODY_BYTES,
    onEvent: ({ event = 'message', data }) => {
      const list = event === 'message' ? readMessages(data) : [{ text: beginning(`${event} ${data}`) }];
      for (const one of list) found(one);
    },
    // Other lines that are not of the format are ignored by clients, too.
    onError: ({ type }) => {
      if (type !== 'max-buffer-size-exceeded') return;
      isTooLarge = true;
      found({ text: '(an event that is too large to be shown; what follows it is not shown either)' });
    },
  });
  return {
    push: chunk => {
      if (!isTooLarge) parser.feed(decoder.decode(chunk, { stream: true }));
    },
    end: () => {},
  };
}

function tapDocument(found: (found: Found) => void): BodyTap {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    push: chunk => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) pieces = [];
      else pieces.push(chunk);
    },
    end: () => {
      if (bytes > MAX_BODY_BYTES) found({ text: `(a body of ${bytes} bytes, too large to be shown)` });
      else for (const one of readMessages(Buffer.concat(pieces).toString('utf8'))) found(one);
    },
  };
}
