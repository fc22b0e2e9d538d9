import { describe, expect, it } from 'vitest';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { type OpenStore, startNodes } from './nodes.js';
import { type Events, HandshakeClient, type Message } from './wire.js';

/** Streams can be resumed at any node, and clients be reached through whichever node they listen at. */
export function describeStreams(open: OpenStore): void {
  const start = async () => {
    const kitchens: Kitchen[] = [];
    const nodes = await startNodes(open, 3, log => {
      const kitchen = new Kitchen();
      kitchens.push(kitchen);
      return bistro(log, kitchen);
    });
    const [a, b, c] = nodes.map(({ running }) => running.url) as [string, string, string];
    return { a, b, c, nodes, kitchen: kitchens[0] as Kitchen };
  };

  describe('the stream of a request', () => {
    it('is resumed at another node while the request runs, and then at a third one', async () => {
      const { a, b, c, kitchen } = await start();
      const client = await HandshakeClient.open(a);
      const first = await cook(client, a);
      expect(await logOf(first)).toBe('soup');
      await first.leave();
      kitchen.serve('main');
      const second = await client.get(b, first.lastId);
      expect(await logOf(second)).toBe('main');
      await second.leave();
      const third = await client.get(c, second.lastId);
      kitchen.serve('cake');
      expect(await logOf(third)).toBe('cake');
      kitchen.close();
      expect(await resultOf(third)).toBe('three courses');
      expect(await third.next()).toBeUndefined();
      expect((await client.get(b, third.lastId)).response.status).toBe(204);
    });

    it('is resumed at another node after the request has ended', async () => {
      const { a, b, kitchen } = await start();
      const client = await HandshakeClient.open(a);
      const first = await cook(client, a);
      expect(await logOf(first)).toBe('soup');
      await first.leave();
      kitchen.serve('main');
      kitchen.close();
      const second = await client.get(b, first.lastId);
      expect(await logOf(second)).toBe('main');
      expect(await resultOf(second)).toBe('two courses');
    });

    it('is resumed at another node after its own has closed', async () => {
      const { a, b, kitchen, nodes } = await start();
      const client = await HandshakeClient.open(a);
      const first = await cook(client, a);
      expect(await logOf(first)).toBe('soup');
      await first.leave();
      kitchen.close();
      await nodes[0]?.running.close(1000);
      const second = await client.get(b, first.lastId);
      expect(await resultOf(second)).toBe('one courses');
      expect(await second.next()).toBeUndefined();
    });

    it('is not shown to another session', async () => {
      const { a, b, kitchen } = await start();
      const [client, other] = [await HandshakeClient.open(a), await HandshakeClient.open(a)];
      const first = await cook(client, a);
      await logOf(first);
      expect((await other.get(b, first.lastId)).response.status).toBe(400);
      kitchen.close();
      expect(await resultOf(first)).toBe('one courses');
    });
  });

  describe('a client that listens at one node', () => {
    it('is reached from a call at another one, and answers at a third one', async () => {
      const { a, b, c } = await start();
      const client = await HandshakeClient.open(a, { capabilities: { roots: {} } });
      const stream = await client.get(a);
      const calling = client.text(b, 'ask later');
      const question = await stream.nextOf('roots/list');
      await client.post(c, { id: question.id as string, result: { roots: [{ uri: 'file:///menu' }] } });
      expect((await stream.nextOf('notifications/message')).params?.data).toBe('1 root');
      expect(await calling).toBe('asked');
    });

    it('resumes its stream at another node', async () => {
      const { a, b, c, nodes } = await start();
      const client = await HandshakeClient.open(a);
      const first = await client.get(a);
      nodes[2]?.server.tool('pie', {}, () => 'Pie');
      await first.nextOf('notifications/tools/list_changed');
      await first.leave();
      nodes[1]?.server.prompt('order', {}, () => 'Pie');
      const second = await client.get(c, first.lastId);
      await second.nextOf('notifications/prompts/list_changed');
      nodes[1]?.server.listChanged('tools');
      await second.nextOf('notifications/tools/list_changed');
      await client.text(b, 'log later');
      expect((await second.nextOf('notifications/message')).params?.data).toBe('later');
    });

    it('hears everything on its newest stream only', async () => {
      const { a, b, nodes } = await start();
      const client = await HandshakeClient.open(a);
      const older = await client.get(a);
      const newer = await client.get(b);
      expect(await older.next()).toBeUndefined();
      nodes[2]?.server.listChanged('tools');
      await newer.nextOf('notifications/tools/list_changed');
    });

    it('is told that everything may have changed when its node has ended', async () => {
      const { a, b, nodes } = await start();
      const client = await HandshakeClient.open(a);
      const first = await client.get(a);
      nodes[1]?.server.listChanged('tools');
      await first.nextOf('notifications/tools/list_changed');
      await nodes[0]?.running.close(0);
      const second = await client.get(b, first.lastId);
      await second.nextOf('notifications/tools/list_changed');
      await second.nextOf('notifications/resources/list_changed');
    });

    it('cannot be asked outside of a request if it listens nowhere', async () => {
      const { a, b } = await start();
      const client = await HandshakeClient.open(a, { capabilities: { roots: {} } });
      expect(await client.text(b, 'ask now')).toContain('the client has no open GET stream');
    });
  });
}

/** Lets a test decide when a handler goes on. */
class Kitchen {
  readonly #served: string[] = [];
  #isClosed = false;
  #wake = () => {};

  serve(dish: string): void {
    this.#served.push(dish);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *dishes(): AsyncIterable<string> {
    for (;;) {
      const dish = this.#served.shift();
      if (dish !== undefined) yield dish;
      else if (this.#isClosed) return;
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
    }
  }
}

const COUNTS = ['no', 'one', 'two', 'three'];

function bistro(log: ServerOptions, kitchen: Kitchen): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, log);
  server.resource('menu://{day}', {}, ({ day }) => String(day));
  server.prompt('menu', {}, () => 'Soup');
  server.tool('cook', {}, async (_, ctx) => {
    let courses = 1;
    ctx.log.info('soup');
    for await (const dish of kitchen.dishes()) {
      courses++;
      ctx.log.info(dish);
    }
    return `${COUNTS[courses]} courses`;
  });
  server.tool('ask later', {}, async (_, { session }) => {
    const answer = await session?.ask({ method: 'roots/list' });
    session?.log.info(`${answer?.roots.length} root`);
    return 'asked';
  });
  server.tool(
    'ask now',
    {},
    (_, { session }) =>
      session?.ask({ method: 'roots/list' }).then(
        () => 'answered',
        error => String(error),
      ) as Promise<string>,
  );
  server.tool('log later', {}, (_, { session }) => {
    session?.log.info('later');
    return 'logged';
  });
  return server;
}

function cook(client: HandshakeClient, url: string): Promise<Events> {
  return client.request(url, 'tools/call', { name: 'cook', arguments: {} });
}

async function logOf(events: Events): Promise<unknown> {
  return (await events.nextOf('notifications/message')).params?.data;
}

async function resultOf(events: Events): Promise<unknown> {
  const isLast = ({ result, error }: Message) => result !== undefined || error !== undefined;
  return (await events.until(isLast)).at(-1)?.result?.content[0].text;
}
