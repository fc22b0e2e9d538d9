import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { Server } from '../../src/server/index.js';
import { envelope } from '../http/modern-client.js';

for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
  test(`${revision}: a notification on a pipe is handled before the request that comes right behind it`, async () => {
    const opened: unknown[] = [];
    const server = new Server({ name: 'library', version: '1.0.0' });
    server.notification('notifications/com.example/opened', ({ book }) => void opened.push(book));
    server.tool('opened', {}, () => opened.join(' '));
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = serveStdio(server, { input, output });
    onTestFinished(() => serving.close(0));
    const lines = createInterface({ input: output });
    const send = async (...messages: object[]) => {
      input.write(messages.map(message => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
      return JSON.parse((await once(lines, 'line'))[0]).result;
    };
    const isModern = revision === '2026-07-28';
    const _meta = isModern ? envelope() : undefined;
    const handshake = {
      protocolVersion: revision,
      capabilities: {},
      clientInfo: { name: 'host', version: '1.0.0' },
    };
    if (!isModern) await send({ id: 0, method: 'initialize', params: handshake });

    const texts = [];
    for (const [id, book] of ['Emma', 'Dune', 'Ulysses'].entries()) {
      const result = await send(
        { method: 'notifications/com.example/opened', params: { book, _meta } },
        { id: id + 1, method: 'tools/call', params: { name: 'opened', _meta } },
      );
      texts.push(result.content[0].text);
    }
    expect(texts).toEqual(['Emma', 'Emma Dune', 'Emma Dune Ulysses']);
  });
}
