import { describe, expect, test } from 'vitest';
import { Server } from '../server.js';
import { type FetchHandler, fetchHandler } from './fetch.js';
import type { HandlerOptions } from './handler.js';

const URL = 'http://localhost/mcp';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A promise and the way to keep it. */
function promised<T = void>(): { kept: Promise<T>; keep(value: T): void } {
  let keep!: (value: T) => void;
  const kept = new Promise<T>(resolve => {
    keep = resolve;
  });
  return { kept, keep };
}

function open(add: (server: Server) => void = () => {}, options: HandlerOptions = {}): FetchHandler {
  const server = new Server({ name: 'echo', version: '1.0.0' });
  const input = { type: 'object', properties: { text: { type: 'string' } } } as const;
  server.tool('echo', { input }, ({ text }) => text ?? '');
  add(server);
  return fetchHandler(server, options);
}

interface CallInit {
  body?: string | ReadableStream<Uint8Array>;
  signal?: AbortSignal;
  progress?: boolean;
}

function call(name: string, args: object = {}, init: CallInit = {}): Request {
  const meta = { ...META, ...(init.progress && { progressToken: 1 }) };
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta },
  };
  return new Request(URL, {
    method: 'POST',
    body: init.body ?? JSON.stringify(message),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    ...(init.signal && { signal: init.signal }),
    // What undici wants for a body that is a stream.
    ...(init.body instanceof ReadableStream && { duplex: 'half' }),
  });
}

function streamOf(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe('a server through fetch', () => {
  test('turns a request into a response', async () => {
    const response = await open()(call('echo', { text: 'Zoë 🎈' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: 'Zoë 🎈' }] } });
  });

  test('refuses a body that begins with a byte order mark, as on Node', async () => {
    const request = call('echo', { text: 'a' });
    const response = await open()(call('echo', {}, { body: `\uFEFF${await request.text()}` }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32700 } });
  });

  test('responds as soon as there is something to stream, and streams on', async () => {
    const finish = promised();
    const handler = open(server => {
      server.tool('slow', {}, async (_args, ctx) => {
        ctx.progress(1);
        await finish.kept;
        return 'done';
      });
    });
    const response = await handler(call('slow', {}, { progress: true }));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body!.pipeThrough(new TextDecoderStream() as never).getReader();
    expect((await reader.read()).value).toContain('notifications/progress');
    finish.keep();
    expect((await reader.read()).value).toContain('"result"');
    expect((await reader.read()).done).toBe(true);
  });

  test('cancels the call when the signal of the request aborts, before and while it streams', async () => {
    for (const progress of [false, true]) {
      const [started, aborted] = [promised(), promised()];
      const handler = open(server => {
        server.tool('endless', {}, async (_args, ctx) => {
          ctx.signal.addEventListener('abort', () => aborted.keep());
          ctx.progress(1);
          started.keep();
          await new Promise(() => {});
        });
      });
      const controller = new AbortController();
      void handler(call('endless', {}, { signal: controller.signal, progress }));
      await started.kept;
      controller.abort();
      await aborted.kept;
    }
  });

  test('cancels the call when the reader of the response gives up', async () => {
    const aborted = promised();
    const handler = open(server => {
      server.tool('endless', {}, async (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.keep());
        ctx.progress(1);
        await new Promise(() => {});
      });
    });
    const response = await handler(call('endless', {}, { progress: true }));
    await response.body!.cancel();
    await aborted.kept;
  });

  test('never starts a call whose client left while it was authenticated', async () => {
    const [arrived, identified] = [promised(), promised()];
    const aborted: boolean[] = [];
    const handler = open(
      server => {
        server.tool('look', {}, (_args, ctx) => {
          aborted.push(ctx.signal.aborted);
        });
      },
      {
        async authenticate() {
          arrived.keep();
          await identified.kept;
          return undefined;
        },
      },
    );
    const controller = new AbortController();
    const response = handler(call('look', {}, { signal: controller.signal }));
    await arrived.kept;
    controller.abort();
    identified.keep();
    await response;
    expect(aborted).not.toContain(false);
  });

  test('cuts off a reader that is too slow, and cancels its call', async () => {
    const aborted = promised();
    const line = 'x'.repeat(64 * 1024);
    const handler = open(server => {
      server.tool('flood', {}, async (_args, ctx) => {
        for (let n = 1; !ctx.signal.aborted; n++) {
          ctx.progress(n, { message: line });
          await new Promise(resolve => setTimeout(resolve));
        }
        aborted.keep();
      });
    });
    const response = await handler(call('flood', {}, { progress: true }));
    await aborted.kept;
    await expect(response.text()).rejects.toThrow(/too slow/);
  });

  test('streams an answer of any size, though it is larger than what may wait for a slow reader', async () => {
    const handler = open(server => {
      server.tool('picture', {}, (_args, ctx) => {
        ctx.progress(1);
        return 'p'.repeat(1024 * 1024);
      });
    });
    const response = await handler(call('picture', {}, { progress: true }));
    expect((await response.text()).length).toBeGreaterThan(1024 * 1024);
  });
});

describe('the body of a request through fetch', () => {
  test('is read as UTF-8, also where a character is split between chunks', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: '🎈' }, _meta: META },
    };
    const body = bytes(JSON.stringify(message));
    const cut = body.indexOf(0xf0) + 2;
    const response = await open()(
      call('echo', {}, { body: streamOf(body.subarray(0, cut), body.subarray(cut)) }),
    );
    expect(await response.json()).toMatchObject({ result: { content: [{ text: '🎈' }] } });
  });

  test('is refused with 400 when it is not UTF-8, in the middle or at the end', async () => {
    for (const wrong of [[0xff], [0xc3], [0xf0, 0x9f]]) {
      for (const rest of ['', '"}']) {
        const body = streamOf(bytes('{"jsonrpc":"'), Uint8Array.from(wrong), bytes(rest));
        const response = await open()(call('echo', {}, { body }));
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ error: { message: 'the body is not valid UTF-8' } });
      }
    }
  });

  test('is refused with 413 when it is too large, whether it said so or not', async () => {
    const handler = open(() => {}, { maxBodyBytes: 100 });
    expect((await handler(call('echo', {}, { body: 'x'.repeat(101) }))).status).toBe(413);
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(bytes('x'.repeat(50))),
    });
    expect((await handler(call('echo', {}, { body: endless }))).status).toBe(413);
  });

  test('is refused with 400 when it ends early', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: controller => controller.error(new Error('reset')),
    });
    expect((await open()(call('echo', {}, { body: broken }))).status).toBe(400);
  });

  test('is refused with 400 when there is none', async () => {
    expect((await open()(call('echo', {}, { body: '' }))).status).toBe(400);
  });
});

describe('close() of a fetch handler', () => {
  test('refuses a request that came before it, while the code for access was being loaded', async () => {
    const handler = open(undefined, { authenticate: () => ({ principal: 'ada' }) });
    const response = handler(call('echo', { text: 'hi' }));
    await handler.close();
    expect((await response).status).toBe(503);
  });

  test('refuses what comes later with 503 and lets what runs finish', async () => {
    const [started, finish] = [promised(), promised()];
    const handler = open(server => {
      server.tool('slow', {}, async () => {
        started.keep();
        await finish.kept;
        return 'done';
      });
    });
    const running = handler(call('slow'));
    await started.kept;
    const closed = handler.close();
    expect((await handler(call('echo'))).status).toBe(503);
    finish.keep();
    expect(await (await running).json()).toMatchObject({ result: { content: [{ text: 'done' }] } });
    await closed;
  });
});
