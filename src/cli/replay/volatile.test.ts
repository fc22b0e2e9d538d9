import { describe, expect, it } from 'vitest';
import { MASKED } from '../trace/mask.js';
import { isSameValue, isVolatileName } from './volatile.js';

describe('a replay', () => {
  it.each([
    '_meta',
    'requestState',
    'nextCursor',
    'sessionId',
    'progressToken',
    'taskId',
    'ttlMs',
    'resultType',
  ])('never compares %s', name => expect(isVolatileName(name)).toBe(true));

  it.each(['content', 'text', 'name', 'isError', 'structuredContent', 'meta', 'state'])('compares %s', name =>
    expect(isVolatileName(name)).toBe(false),
  );

  it.each([
    'time',
    'createdAt',
    'created_at',
    'startTime',
    'elapsedMs',
    'duration_ms',
    'last-date',
    'since',
    'uptime',
  ])('takes numbers of %s for times', name => expect(isSameValue(name, 1, 2)).toBe(true));

  it.each(['seat', 'seats', 'items', 'rooms', 'heat', 'candidate', 'count', 'price', 'timesCalled', ''])(
    'compares numbers of "%s"',
    name => expect(isSameValue(name, 1, 2)).toBe(false),
  );

  it.each([
    ['a time', 'at 2026-07-28T10:00:00Z', 'at 2026-11-18T09:30:12.123+01:00'],
    ['a time of a log', '2026-07-28 10:00:00,5 open', '2026-07-28 11:00:00,7 open'],
    ['a date as in HTTP', 'Tue, 28 Jul 2026 10:00:00 GMT', 'Wed, 18 Nov 2026 09:30:12 GMT'],
    ['a time of day', 'it is 10:00:00', 'it is 9:30:12 PM'],
    ['seconds since 1970', 'id 1785225600', 'id 1795000000'],
    ['milliseconds since 1970', 'id 1785225600000', 'id 1795000000123'],
    ['a UUID', 'order 6f1c0b0e-2f5f-4c53-9d5e-0a4f1f0b7c11', 'order 0A4F1F0B-2f5f-4c53-9d5e-6f1c0b0e7c11'],
    ['a long hex number', 'commit 0123456789abcdef01234567', 'commit 89abcdef0123456701234567'],
    ['a duration', 'took 12 ms', 'took 3.5 ms'],
    ['a duration in words', 'took 1 second', 'took 2 seconds'],
    ['a port of this machine', 'http://127.0.0.1:3000/mcp', 'http://127.0.0.1:4100/mcp'],
    ['a process id', 'pid: 12', 'pid: 4711'],
  ])('takes texts for the same that differ only in %s', (_, recorded, now) => {
    expect(isSameValue('text', recorded, now)).toBe(true);
  });

  it.each([
    ['words', 'a table by the window', 'a table by the door'],
    ['a number', 'table 4', 'table 5'],
    ['a day', 'on 2026-07-28', 'on 2026-07-29'],
    ['a count beside a time', '3 guests at 2026-07-28T10:00:00Z', '4 guests at 2026-07-28T10:00:00Z'],
    ['a port of another machine', 'https://bistro.example:3000', 'https://bistro.example:4000'],
    ['a short hex number', 'colour ffcc00', 'colour 00ccff'],
    ['a long word of the letters a to f', 'deadbeefdeadbeefdeadbeef', 'feedfacefeedfacefeedface'],
    ['a longer time', 'in 5 minutes', 'in 6 minutes'],
  ])('reports texts that differ in %s', (_, recorded, now) => {
    expect(isSameValue('text', recorded, now)).toBe(false);
  });

  it('does not compare what was masked in the recording', () => {
    expect(isSameValue('token', `Bearer ${MASKED}`, 'Bearer abc')).toBe(true);
    expect(isSameValue('token', 'Bearer abc', `Bearer ${MASKED}`)).toBe(false);
  });

  it('reports a value of another type, also where it is a time', () => {
    expect(isSameValue('createdAt', 1, '1')).toBe(false);
    expect(isSameValue('createdAt', true, false)).toBe(false);
    expect(isSameValue('text', null, undefined)).toBe(false);
  });
});
