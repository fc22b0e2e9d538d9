import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { type Context, type InputRequest, inputRequired, pagesRequired } from '../../src/server/index.js';
import { accepted, EVERYTHING, serveAsking, TEXT } from './asking.js';

const PAGE = { mode: 'url', message: 'Sign in', url: 'https://example.com/sign-in' } as const;
const FORM = { message: 'Name?', requestedSchema: TEXT };
/** What a client sees of a mistake of an author. */
const FAILED = 'tool "ask" failed';

const asking = (request: unknown) => (ctx: Context) =>
  ctx.inputResponses ? 'done' : inputRequired({ requests: { u: request as InputRequest } });

/** What a client of a handshake revision is asked. */
async function askedDirectly(revision: string, params: object): Promise<unknown[]> {
  const asked: unknown[] = [];
  const { call } = await serveAsking(asking({ method: 'elicitation/create', params }), {
    revision,
    answers: {
      'elicitation/create': params => {
        asked.push(params);
        return accepted({ text: 'A' });
      },
    },
  });
  expect((await call()).text).toBe('done');
  return asked;
}

describe('a question that is asked by hand', () => {
  // covers: 2026-07-28/mrtr/requests-are-of-three-kinds
  it('is put in the words of 2026-07-28', async () => {
    const page = await serveAsking(
      asking({ method: 'elicitation/create', params: { ...PAGE, elicitationId: 'page-1' } }),
    );
    expect((await page.call()).questions).toEqual({ u: { method: 'elicitation/create', params: PAGE } });
    const form = await serveAsking(asking({ method: 'elicitation/create', params: FORM }));
    expect((await form.call()).questions).toEqual({
      u: { method: 'elicitation/create', params: { mode: 'form', ...FORM } },
    });
  });

  it('is put in the words of 2025-11-25, which has ids of pages', async () => {
    expect(await askedDirectly('2025-11-25', { ...PAGE, elicitationId: 'page-1' })).toEqual([
      { ...PAGE, elicitationId: 'page-1' },
    ]);
    expect(await askedDirectly('2025-11-25', PAGE)).toEqual([
      { ...PAGE, elicitationId: expect.stringMatching(/^[\da-f-]{36}$/) },
    ]);
  });

  it('is put in the words of 2025-06-18, which has no modes', async () => {
    expect(await askedDirectly('2025-06-18', { mode: 'form', ...FORM })).toEqual([FORM]);
  });

  it('may be any of the three', async () => {
    const requests: Record<string, InputRequest> = {
      model: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
      roots: { method: 'roots/list' },
      user: { method: 'elicitation/create', params: { mode: 'form', ...FORM } },
    };
    const { call } = await serveAsking(() => inputRequired({ requests }));
    expect((await call()).questions).toEqual({ ...requests, roots: { method: 'roots/list', params: {} } });
  });

  // covers: 2025-11-25/elicitation/url-is-valid, 2026-07-28/elicitation/url-is-valid
  // covers: 2026-07-28/mrtr/requests-are-of-three-kinds
  it.each(['2025-11-25', '2026-07-28'])(
    'that is malformed is a mistake of the author, who is told: %s',
    async revision => {
      const cases: [unknown, string][] = [
        ['name', 'it must be an object with a method'],
        [
          { method: 'elicitation/creat', params: FORM },
          'its method must be elicitation/create, sampling/createMessage or roots/list, not "elicitation/creat"',
        ],
        [{ method: 'elicitation/create' }, 'its params must be an object'],
        [{ method: 'sampling/createMessage', params: [] }, 'its params must be an object'],
        [{ method: 'roots/list', params: 5 }, 'its params must be an object'],
        [elicitation({ requestedSchema: TEXT }), 'its message must be a text'],
        [elicitation({ ...FORM, mode: 'page' }), 'its mode must be form or url, not "page"'],
        [elicitation({ message: 'Name?' }), 'its requestedSchema must be a JSON Schema'],
        [
          elicitation({ message: 'Name?', requestedSchema: { type: 'string' } }),
          'the form of a question must be an object with properties',
        ],
        [
          elicitation({ message: 'Name?', requestedSchema: { type: 'object', properties: { a: TEXT } } }),
          'field "a" of a question must be a string, a number, a boolean, or a choice (`enum`, or `oneOf` with `type: "string"`): forms are flat',
        ],
        [elicitation({ ...PAGE, url: 'not a url' }), 'its url must be a URL, not "not a url"'],
        [elicitation({ ...PAGE, url: undefined }), 'its url must be a URL, not undefined'],
        [elicitation({ ...PAGE, elicitationId: 1 }), 'its elicitationId must be a text'],
        [
          { method: 'sampling/createMessage', params: { messages: [{ role: 'user' }], maxTokens: 1 } },
          'the messages must be a list of objects with the role "user" or "assistant" and content',
        ],
        [
          { method: 'sampling/createMessage', params: { messages: [] } },
          'its maxTokens must be a whole number, 1 or more',
        ],
      ];
      for (const [request, problem] of cases) {
        const { call, errors } = await serveAsking(asking(request), { revision });
        expect((await call()).result).toMatchObject({ isError: true, content: [{ text: FAILED }] });
        expect(errors).toEqual([
          new UsageError(`the question "u" that was asked by hand is malformed: ${problem}`),
        ]);
      }
    },
  );

  it('that is malformed fails prompts and resources without details', async () => {
    const ask = asking({ method: 'elicitation/create' });
    const { request, errors } = await serveAsking(ask, {
      add: server => {
        server.prompt('p', {}, (_args, ctx) => ask(ctx));
        server.resource('r://x', {}, (_variables, ctx) => ask(ctx));
      },
    });
    for (const round of [
      await request('prompts/get', { name: 'p' }),
      await request('resources/read', { uri: 'r://x' }),
    ]) {
      expect(round.error).toEqual({ code: -32603, message: 'internal error', data: undefined });
    }
    expect(errors).toHaveLength(2);
  });

  it('must be in an object, also beside a state', async () => {
    const returned = { resultType: 'input_required', inputRequests: [], requestState: 'x' };
    const { call, errors } = await serveAsking(() => returned);
    expect((await call()).result).toMatchObject({ isError: true });
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/^tool "ask" returned something that is not a result/) },
    ]);
  });
});

describe('pages that a handler needs', () => {
  it('are at least one', () => {
    expect(() => pagesRequired([])).toThrow(new UsageError('pagesRequired needs at least one page'));
  });

  it.each(['2025-11-25', '2026-07-28'])(
    'are a mistake of the author if there is none: %s',
    async revision => {
      const { call, errors } = await serveAsking(
        () => {
          throw pagesRequired([]);
        },
        { revision, capabilities: EVERYTHING },
      );
      expect((await call()).result).toMatchObject({ isError: true, content: [{ text: FAILED }] });
      expect(errors).toEqual([new UsageError('pagesRequired needs at least one page')]);
    },
  );
});

function elicitation(params: object): object {
  return { method: 'elicitation/create', params };
}
