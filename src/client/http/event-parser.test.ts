import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventParser, type ServerEvent } from './event-parser.js';

interface Heard {
  events: ServerEvent[];
  retries: number[];
}

/** What is heard of a stream that comes in pieces. */
function hear(pieces: readonly string[]): Heard {
  const heard: Heard = { events: [], retries: [] };
  const parser = new EventParser(
    event => void heard.events.push(event),
    ms => heard.retries.push(ms),
  );
  for (const piece of pieces) parser.feed(piece);
  return heard;
}

function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map(place => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, n) => text.slice(start, at[n]));
}

const value = fc.string({ unit: fc.constantFrom('a', ':', ' ', '{', '☃', '0', '\0'), maxLength: 8 });
const line = fc.oneof(
  fc.constant(''),
  value,
  fc
    .tuple(fc.constantFrom('data', 'id', 'event', 'retry', '', 'x', 'dat', 'datas'), value)
    .map(parts => parts.join(':')),
  fc.constantFrom('data', 'id', 'event', 'retry: 17', 'retry:0', 'data: x', 'id: 1'),
);
const lines = fc.array(line, { maxLength: 30 });
const places = fc.array(fc.nat(), { maxLength: 20 });

describe('an event stream', () => {
  test('is read like others read it', () => {
    fc.assert(
      fc.property(lines, all => {
        const text = all.map(each => `${each}\n`).join('');
        const expected: Heard = { events: [], retries: [] };
        const parser = createParser({
          onEvent: ({ event, data, id }) => expected.events.push({ name: event, data, id }),
          onRetry: ms => expected.retries.push(ms),
        });
        parser.feed(text);
        const { events, retries } = hear([text]);
        // Here, what has only an id is an event, too: it says where to go on.
        const withData = events.filter(({ data, id }) => data !== '' || id === undefined);
        const plain = (list: ServerEvent[]) =>
          list.map(event => ({ ...event, name: event.name || undefined }));
        expect(plain(withData)).toEqual(
          expected.events.filter(({ data, id }) => data !== '' || id === undefined),
        );
        expect(retries).toEqual(expected.retries);
      }),
    );
  });

  test('is the same however it is cut', () => {
    fc.assert(
      fc.property(lines, fc.constantFrom('\n', '\r', '\r\n'), places, (all, end, at) => {
        const text = all.map(each => each + end).join('');
        expect(hear(cut(text, at))).toEqual(hear([all.map(each => `${each}\n`).join('')]));
        expect(hear([...text])).toEqual(hear([text]));
      }),
    );
  });

  test('with an id alone says where to go on', () => {
    expect(hear(['id: 1\n\n']).events).toEqual([{ name: undefined, data: '', id: '1' }]);
  });

  test('does not wait for more after a carriage return', () => {
    expect(hear(['data: a\r\r']).events).toHaveLength(1);
    expect(hear(['data: a\r', '\n\r', '\ndata: b\r\n\r\n']).events).toHaveLength(2);
  });

  test('is not over before an empty line', () => {
    expect(hear(['data: a\n']).events).toEqual([]);
    expect(hear(['data: a\n', '\n']).events).toHaveLength(1);
  });

  test('counts what is not complete', () => {
    const sizes: number[] = [];
    const parser = new EventParser(
      () => {},
      () => {},
    );
    for (const piece of ['data: a', '\n', '\n', ': comment\n', 'data: b\n\nda', 'ta', ':\n\n', '\n']) {
      parser.feed(piece);
      sizes.push(parser.size);
    }
    expect(sizes).toEqual([7, 8, 0, 10, 2, 4, 0, 0]);
  });

  test.for([
    ['carriage returns', '\r', 1],
    ['newlines', '\n', 1],
    ['fields that nobody knows', 'x\n', 1],
    ['unknown fields with a value', 'x:y\n', 1],
    ['lines of data', 'data\n', 1],
    ['ids', 'id:1\n', 1],
    ['one byte at a time', 'data: x\n\n', 9],
    ['one line', 'xxxxxxxx', 8],
  ] as const)('of a megabyte of %s is read in linear time', ([, unit, pieces]) => {
    const time = (repeat: number) => {
      const text = unit.repeat(repeat);
      const parts = pieces === 1 ? text.match(/[\s\S]{1,65536}/g)! : text.split('');
      const begun = process.cpuUsage();
      hear(parts);
      return process.cpuUsage(begun).user / 1000;
    };
    time(1000);
    const megabyte = Math.floor((1024 * 1024) / unit.length);
    expect(time(megabyte)).toBeLessThan(20 * time(megabyte / 8) + 500);
  });
});
