import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Server } from '../../src/server/index.js';
import { LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { serve } from '../http/serve.js';

const NUMBER = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const OBJECT = { type: 'object', properties: { n: { type: 'object' } }, required: ['n'] };

/** The results of one tool in both eras, and the errors that were reported. */
async function results(output: any, returned: unknown) {
  const reported: Error[] = [];
  const server = new Server({ name: 'x', version: '1' }, { onError: error => reported.push(error as Error) });
  server.tool('measure', { output }, () => returned as never);
  const { url } = await serve(server);
  const answers = [
    await new ModernClient(url).call('measure'),
    await (await LegacyClient.open(url)).call('measure'),
  ];
  return { reported, results: answers.map(({ result }) => result) };
}

describe('a structured result is checked as JSON carries it', () => {
  class Point {
    get n() {
      return 1;
    }
  }

  // covers: 2025-06-18/tools/server-conforms-to-the-output-schema, 2026-07-28/tools/output-fits-its-schema
  it.each([
    ['NaN, by a JSON Schema', NUMBER, { n: Number.NaN }, 'n is NaN'],
    ['Infinity, by a JSON Schema', NUMBER, { n: Number.POSITIVE_INFINITY }, 'n is Infinity'],
    [
      'Infinity, by valibot',
      toStandardJsonSchema(v.object({ n: v.number() })),
      { n: Number.POSITIVE_INFINITY },
      'n is Infinity',
    ],
    ['Infinity, by arktype', type({ n: 'number' }), { n: Number.POSITIVE_INFINITY }, 'n is Infinity'],
    ['an undefined member, by zod', z.object({ n: z.unknown() }), { n: undefined }, 'n'],
    ['a date where an object is listed', OBJECT, { n: new Date(0) }, 'n is a Date'],
    ['a getter of a class, by arktype', type({ n: 'number' }), new Point(), 'is a Point'],
    ['a number that JSON does not have', { type: 'object' }, { n: 1n }, 'JSON cannot carry it'],
  ])('%s is refused', async (_, output, returned, reason) => {
    const { reported, results: sent } = await results(output, returned);
    for (const result of sent) {
      expect(result).toMatchObject({ content: [{ text: 'tool "measure" failed' }], isError: true });
      expect(result).not.toHaveProperty('structuredContent');
    }
    expect(reported).toHaveLength(2);
    expect(reported[0]?.message).toContain('tool "measure" returned a value that its output schema refuses');
    expect(reported[0]?.message).toContain(reason);
  });

  it('a circular value is refused', async () => {
    const loop: Record<string, unknown> = {};
    loop.again = loop;
    const { reported, results: sent } = await results({ type: 'object' }, loop);
    expect(sent[0].isError).toBe(true);
    expect(reported[0]?.message).toContain('JSON cannot carry it');
  });

  it.each([
    ['an optional member that is undefined', z.object({ n: z.number().optional() }), { n: undefined }, {}],
    [
      'a date where a text is listed',
      z.object({ n: z.any() }),
      { n: new Date(0) },
      { n: '1970-01-01T00:00:00.000Z' },
    ],
    ['NaN where null is listed', z.object({ n: z.any() }), { n: Number.NaN }, { n: null }],
  ])('%s is sent', async (_, output, returned, expected) => {
    const { reported, results: sent } = await results(output, returned);
    for (const result of sent) expect(result.structuredContent).toEqual(expected);
    expect(reported).toEqual([]);
  });
});
