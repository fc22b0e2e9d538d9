import { describe, expect, it, vi } from 'vitest';
import { failure, pair } from '../client-faults/connected.js';
import { modern } from '../client-faults/raw-server.js';
import { ask } from './asked.js';

const TEXT = { type: 'string' };
const fields = (properties: object) => ({ type: 'object', properties });
const CHOICES = [{ const: 's', title: 'Soup' }];

const NOT_FLAT: [what: string, schema: unknown][] = [
  ['an object in it', fields({ name: TEXT, address: fields({ street: TEXT }) })],
  ['an object without properties in it', fields({ address: { type: 'object' } })],
  ['a list of objects', fields({ guests: { type: 'array', items: fields({ name: TEXT }) } })],
  ['a list of any texts', fields({ guests: { type: 'array', items: TEXT } })],
  ['a list of anything', fields({ guests: { type: 'array' } })],
  ['a union with an object', fields({ guest: { anyOf: [TEXT, fields({ name: TEXT })] } })],
  ['a type that may be an object', fields({ guest: { type: ['string', 'object'] } })],
  ['nothing but null', fields({ guest: { type: 'null' } })],
  ['a field of any type', fields({ guest: {} })],
  ['a field that is no schema', fields({ guest: true })],
  ['a reference', { ...fields({ guest: { $ref: '#/$defs/name' } }), $defs: { name: TEXT } }],
  ['a list in place of an object', { type: 'array', items: TEXT }],
  ['a text in place of an object', TEXT],
  ['a list of properties', { type: 'object', properties: [TEXT] }],
  ['anything in place of a schema', true],
  ['no schema', undefined],
];

const FLAT: [what: string, schema: object][] = [
  [
    'texts, numbers and booleans',
    fields({ a: TEXT, b: { type: 'number' }, c: { type: 'integer' }, d: { type: 'boolean' } }),
  ],
  ['a choice', fields({ dish: { type: 'string', enum: ['soup'] } })],
  ['a choice with titles', fields({ dish: { type: 'string', oneOf: CHOICES } })],
  ['a choice without a type', fields({ dish: { enum: ['soup'] } })],
  ['a union with null', fields({ name: { anyOf: [TEXT, { type: 'null' }], default: null } })],
  ['a type that may be null', fields({ name: { type: ['string', 'null'] } })],
  ['no fields', fields({})],
  ['nothing but a type', { type: 'object' }],
];

const SEVERAL: [what: string, schema: object][] = [
  ['several choices', fields({ dishes: { type: 'array', items: { type: 'string', enum: ['soup'] } } })],
  ['several choices with titles', fields({ dishes: { type: 'array', items: { anyOf: CHOICES } } })],
];

const question = (requestedSchema: unknown) => ({
  method: 'elicitation/create',
  params: { message: 'Who comes?', requestedSchema },
});

async function show(revision: string, schema: unknown) {
  const onElicit = vi.fn(() => ({ action: 'decline' as const }));
  const { answer, code, failure: error } = await ask(revision, question(schema), { onElicit });
  return { calls: onElicit.mock.calls.length, answer, code: code ?? (error as { code?: number })?.code };
}

const REFUSED = { calls: 0, answer: undefined, code: -32602 };
const SHOWN = { calls: 1, answer: { action: 'decline' }, code: undefined };

// covers: 2025-06-18/elicitation/schema-is-flat
describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('a form of %s', revision => {
  it.each(NOT_FLAT)('is refused with -32602, and shown to nobody, if it has %s', async (_, schema) => {
    expect(await show(revision, schema)).toEqual(REFUSED);
  });

  it.each(FLAT)('is shown if it has %s', async (_, schema) => {
    expect(await show(revision, schema)).toEqual(SHOWN);
  });

  it.each(SEVERAL)('may have %s, unless the revision has no lists in answers', async (_, schema) => {
    expect(await show(revision, schema)).toEqual(revision === '2025-06-18' ? REFUSED : SHOWN);
  });
});

it.each(NOT_FLAT)('a form is not given to the author to fill in by hand if it has %s', async (_, schema) => {
  const { client } = await pair(
    modern({
      'tools/call': asked =>
        asked.result({ resultType: 'input_required', inputRequests: { q: question(schema) } }),
    }),
    { capabilities: { elicitation: {} } },
  );
  const error = await failure(client.begin('tools/call', { name: 'ask', arguments: {} }));
  expect(error).toMatchObject({ kind: 'invalid-answer' });
});

it.each(['2025-06-18', '2026-07-28'])(
  'a field that is null by default is left out of an answer on %s',
  async revision => {
    const schema = fields({
      name: { anyOf: [TEXT, { type: 'null' }], default: null },
      table: { type: 'integer', default: 4 },
    });
    const onElicit = () => ({ action: 'accept' as const, content: {} });
    const { answer } = await ask(revision, question(schema), { onElicit });
    expect(answer).toEqual({ action: 'accept', content: { table: 4 } });
  },
);
