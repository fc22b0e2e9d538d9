import { describe, expect, test } from 'vitest';
import { ConnectionError, HttpError } from '../../src/node/client/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { expectUsable, failure, pair } from './connected.js';
import { type Answer, type Ask, legacy } from './raw-server.js';

failOnUnhandled();

/** A server whose sessions can be made to end. */
class Forgetful {
  session = 0;
  /** Whether the current session is known. */
  knows = true;
  /** How it answers to a new handshake. */
  onInitialize: Answer | undefined;
  readonly calls: Answer;

  constructor(answer: Answer = ask => ask.text(ask.message.params.name)) {
    const inSession =
      (then: Answer): Answer =>
      ask => {
        if (this.knows && ask.session === `s-${this.session}`) return then(ask);
        ask.send(
          404,
          JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }),
          {
            'content-type': 'application/json',
          },
        );
      };
    const open = () => {
      this.knows = true;
      return `s-${++this.session}`;
    };
    const rest = legacy({}, open);
    this.calls = ask => {
      if (ask.method === 'initialize')
        return this.knows || !this.onInitialize ? rest(ask) : this.onInitialize(ask);
      if (ask.method === 'server/discover') return rest(ask);
      return inSession(ask.method === 'tools/call' ? answer : rest)(ask);
    };
  }

  forget(): void {
    this.knows = false;
  }
}

describe('a session that the server has forgotten', () => {
  test('is opened again once, and the call is made in it', async () => {
    const forgetful = new Forgetful();
    const { client, server } = await pair(forgetful.calls);
    forgetful.forget();
    await expectUsable(client);
    expect(server.of('initialize')).toHaveLength(2);
    expect(server.of('initialize')[1]!.session).toBeUndefined();
    expect(server.of('notifications/initialized').map(ask => ask.session)).toEqual(['s-1', 's-2']);
    expect(server.of('tools/call').map(ask => ask.session)).toEqual(['s-1', 's-2']);
  });

  test('is opened again once for twenty calls at the same time', async () => {
    const forgetful = new Forgetful();
    const { client, server } = await pair(forgetful.calls);
    for (let time = 2; time < 5; time++) {
      forgetful.forget();
      const results = await Promise.all(Array.from({ length: 20 }, (_, n) => client.callTool(`tool-${n}`)));
      results.forEach((result, n) => void expect(result).toMatchObject({ content: [{ text: `tool-${n}` }] }));
      expect(server.of('initialize')).toHaveLength(time);
    }
  });

  test('is opened again while a call is running, which is not disturbed', async () => {
    let slow: Ask | undefined;
    const forgetful = new Forgetful(ask => {
      if (ask.message.params.name === 'slow') slow = ask.stream();
      else ask.text(ask.message.params.name);
    });
    const { client, server } = await pair(forgetful.calls);
    const running = client.callTool('slow');
    await expectUsable(client);
    forgetful.forget();
    await expectUsable(client);
    slow!.event(slow!.textMessage('slow'));
    expect(await running).toMatchObject({ content: [{ text: 'slow' }] });
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('is opened again after a notification, which is then sent in it', async () => {
    const forgetful = new Forgetful();
    const { client, server } = await pair(forgetful.calls);
    forgetful.forget();
    await client.notify('notifications/menus/read');
    expect(server.of('notifications/menus/read').map(ask => ask.session)).toEqual(['s-1', 's-2']);
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('is opened again after an answer that the server did not take', async () => {
    let call: Ask | undefined;
    const forgetful = new Forgetful(ask => {
      if (ask.message.params.name === 'fine') return ask.text('fine');
      call = ask.stream();
      forgetful.forget();
      call.event({ jsonrpc: '2.0', id: 'q', method: 'roots/list' });
    });
    let reopened = () => {};
    const again = new Promise<void>(resolve => {
      reopened = resolve;
    });
    const { client, server } = await pair(
      ask => {
        forgetful.calls(ask);
        if (ask.method === 'notifications/initialized' && ask.session === 's-2') reopened();
      },
      { roots: [] },
    );
    const running = client.callTool('ask');
    await again;
    call!.event(call!.textMessage('done'));
    expect(await running).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('is opened again if the server does not know it when the stream is opened', async () => {
    const forgetful = new Forgetful();
    let reopened = () => {};
    const again = new Promise<void>(resolve => {
      reopened = resolve;
    });
    const { server } = await pair(
      ask => {
        if (ask.method === 'GET' && forgetful.session === 1) forgetful.forget();
        forgetful.calls(ask);
        if (ask.method === 'GET' && ask.session === 's-2') reopened();
      },
      { roots: [] },
    );
    await again;
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('is kept if the server only has no stream', async () => {
    const { client, server } = await pair(
      legacy({ GET: ask => ask.send(404), 'tools/call': ask => ask.text('fine') }),
      { roots: [] },
    );
    await expectUsable(client);
    expect(server.of('initialize')).toHaveLength(1);
    expect(server.of('GET')).toHaveLength(1);
  });

  test('is not opened again and again for one call', async () => {
    const forgetful = new Forgetful();
    const { client, server } = await pair(legacy({ 'tools/call': ask => ask.send(404) }));
    const error = await failure(client.callTool('lost'));
    expect(error).toMatchObject({ name: 'HttpError', status: 404 });
    expect(server.of('initialize').length).toBeLessThanOrEqual(3);
    expect(forgetful.session).toBe(0);
  });

  const refusals: [string, Answer][] = [
    ['says that it is overloaded', ask => ask.send(503)],
    ['answers with an error', ask => ask.error(-32603, 'not now')],
    [
      'wants a revision that nobody knows',
      ask => ask.result({ protocolVersion: '1999-01-01', capabilities: {} }),
    ],
    ['hangs up', ask => ask.response.destroy()],
  ];
  test.for(refusals)('fails calls while the server %s, and works again after that', async ([, refuse]) => {
    const forgetful = new Forgetful();
    const { client } = await pair(forgetful.calls, { onWarning: () => {} });
    forgetful.forget();
    forgetful.onInitialize = refuse;
    for (let call = 0; call < 2; call++) {
      const ends = await Promise.allSettled([client.callTool('a'), client.callTool('b')]);
      for (const end of ends) {
        expect(end.status).toBe('rejected');
        expect((end as PromiseRejectedResult).reason.name).toMatch(
          /^(HttpError|McpError|InvalidAnswer|ConnectionError)$/,
        );
      }
    }
    forgetful.onInitialize = undefined;
    await expectUsable(client);
  });

  test('fails calls at their time limit if the server does not answer to the handshake', async () => {
    const forgetful = new Forgetful();
    const { client } = await pair(forgetful.calls, { timeoutMs: 1000 });
    forgetful.forget();
    forgetful.onInitialize = () => {};
    const error = await failure(client.callTool('a'));
    expect(error.name).toBe('RequestTimeout');
    forgetful.onInitialize = undefined;
    await expectUsable(client);
  });

  test('is opened again by a client that was told nothing of a session the second time', async () => {
    let session: string | undefined = 's-1';
    const answer: Answer = ask => (ask.session === session ? ask.text('fine') : ask.send(404));
    const { client } = await pair(legacy({ 'tools/call': answer }, () => session));
    session = undefined;
    await expectUsable(client);
  });
});

test('a server that ends streams without a word about events is not asked for more', async () => {
  const { client, server } = await pair(legacy({ 'tools/call': ask => ask.stream().response.end() }));
  expect(await failure(client.callTool('x'))).toBeInstanceOf(ConnectionError);
  expect(server.of('GET')).toHaveLength(0);
});

describe('a stream that can be taken up again', () => {
  /** A server that ends its streams after one event, and has more to say when the client comes back. */
  function resumable(resume: Answer, id = 'e-1') {
    return legacy({
      'tools/call': ask => {
        if (ask.message.params.name === 'fine') return ask.text('fine');
        ask.stream().response.end(`id: ${id}\nretry: 1\ndata:\n\n`);
      },
      GET: resume,
    });
  }

  test('is given up if there is nothing new on it', async () => {
    const { client, server } = await pair(resumable(ask => ask.stream().response.end()));
    expect(await failure(client.callTool('x'))).toBeInstanceOf(ConnectionError);
    expect(server.of('GET').length).toBeLessThan(10);
    await expectUsable(client);
  });

  test('is given up if the server refuses', async () => {
    const { client } = await pair(resumable(ask => ask.send(400, 'what?')));
    const error = await failure(client.callTool('x'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.cause).toBeInstanceOf(HttpError);
    expect((error.cause as HttpError).status).toBe(400);
    await expectUsable(client);
  });

  test.each([404, 400, 405])(
    'is given up if the server answers with %i, and its call is not made again',
    async status => {
      const { client, server } = await pair(resumable(ask => ask.send(status)));
      const error = await failure(client.callTool('pay'));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.hadNoEffect).toBe(false);
      const calls = server.of('tools/call').filter(({ message }) => message.params.name === 'pay');
      expect(calls).toHaveLength(1);
      await expectUsable(client);
    },
  );

  test('is given up at the time limit if there is always something new', async () => {
    let last = 1;
    const { client } = await pair(resumable(ask => ask.stream().response.end(`id: e-${++last}\ndata:\n\n`)));
    const error = await failure(client.callTool('x', {}, { timeoutMs: 200 }));
    expect(error.name).toBe('RequestTimeout');
    await expectUsable(client);
    const seen = last;
    await expectUsable(client);
    expect(last - seen).toBeLessThan(2);
  });

  test('has ids that go back as they came', async () => {
    const heard: unknown[] = [];
    const { client } = await pair(
      resumable(ask => {
        heard.push(Buffer.from(ask.request.headers['last-event-id'] as string, 'latin1').toString());
        ask.send(405);
      }, 'schön ☃ 1'),
    );
    expect(await failure(client.callTool('x'))).toBeInstanceOf(ConnectionError);
    expect(heard).toEqual(['schön ☃ 1']);
  });

  test('has an id that no header can carry, and cannot be taken up', async () => {
    const { client, server } = await pair(resumable(ask => ask.send(405), 'a\u0001b'));
    expect(await failure(client.callTool('x'))).toBeInstanceOf(ConnectionError);
    expect(server.of('GET')).toEqual([]);
    await expectUsable(client);
  });

  test('is left at once when the client closes, though it waits to be taken up', async () => {
    const { client, server } = await pair(
      legacy({ 'tools/call': ask => ask.stream().response.end('id: 1\nretry: 20000\ndata:\n\n') }),
    );
    const call = failure(client.callTool('x'));
    while (server.of('tools/call').length === 0) await new Promise(setImmediate);
    await client.close();
    expect(await call).toBeInstanceOf(ConnectionError);
  });
});

describe('the stream for messages of a server of the handshake revisions', () => {
  const calls = { 'tools/call': (ask: Ask) => ask.text('fine') };

  test('that is refused is told once, with the reason', async () => {
    const warnings: string[] = [];
    const refusing = legacy({ ...calls, GET: ask => ask.send(401, 'no token') });
    const options = { onNotification: () => {}, onWarning: (text: string) => void warnings.push(text) };
    const { client } = await pair(refusing, options);
    for (let call = 0; call < 3; call++) await expectUsable(client);
    expect(warnings).toEqual([
      'the stream for messages of the server could not be opened, so messages may be missed: ' +
        'the server answered with HTTP status 401: no token',
    ]);
  });

  test.each([404, 405])('that does not exist is no reason for a warning: %i', async status => {
    const warnings: string[] = [];
    const lacking = legacy({ ...calls, GET: ask => ask.send(status) });
    const options = { onNotification: () => {}, onWarning: (text: string) => void warnings.push(text) };
    const { client } = await pair(lacking, options);
    await expectUsable(client);
    expect(warnings).toEqual([]);
  });
});
