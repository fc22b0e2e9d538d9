import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { Server } from '../../src/server/index.js';
import { serve } from '../http/serve.js';

it.each(['2025-11-25', '2026-07-28'])(
  'timeoutMs ends a call that middleware never passes on, on %s',
  async revision => {
    const server = new Server({ name: 'shelf', version: '1.0.0' });
    server.tool('look', {}, () => 'Emma');
    const client = await connect((await serve(server)).url, {
      revision,
      middleware: [({ method }, next) => (method === 'tools/call' ? new Promise(() => {}) : next())],
    });
    onTestFinished(() => client.close());
    const call = client.callTool('look', {}, { timeoutMs: 50 });
    await expect(call).rejects.toMatchObject({ message: 'tools/call was not answered within 50 ms' });
  },
);
