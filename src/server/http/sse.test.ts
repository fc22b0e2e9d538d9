import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { describe, expect, test } from 'vitest';
import { primingEvent } from './replay.js';
import { HEARTBEAT, messageEvent } from './sse.js';

/** What a real parser makes of a text. */
function parse(text: string) {
  const events: EventSourceMessage[] = [];
  const comments: string[] = [];
  let retry: number | undefined;
  const parser = createParser({
    onEvent: event => events.push(event),
    onComment: comment => comments.push(comment),
    onRetry: interval => {
      retry = interval;
    },
  });
  parser.feed(text);
  return { events, comments, retry };
}

describe('an event stream', () => {
  test('carries a message as it is, whatever is in it', () => {
    const text = JSON.stringify({ text: 'line\nline\r\n\u2028:id: data: \u0000 🎈' });
    expect(parse(messageEvent(text, 'a.1')).events).toEqual([{ event: 'message', id: 'a.1', data: text }]);
    expect(parse(messageEvent(text)).events).toEqual([{ event: 'message', id: undefined, data: text }]);
  });

  test('begins with an event that has an id and nothing else, and says when to come back', () => {
    const { events, retry } = parse(primingEvent('a.0', 500));
    expect(events).toEqual([{ event: undefined, id: 'a.0', data: '' }]);
    expect(retry).toBe(500);
  });

  test('keeps alive with a comment, which is no event', () => {
    const { events, comments } = parse(HEARTBEAT + HEARTBEAT);
    expect(events).toEqual([]);
    expect(comments).toHaveLength(2);
  });
});
