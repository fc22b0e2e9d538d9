import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { Server } from '../../src/server/index.js';
import { serve } from '../http/serve.js';
import { until } from '../interop-client/until.js';

it('the acknowledgement of a listen stream does not pass through the middleware of a client', async () => {
  const server = new Server({ name: 'shelf', version: '1.0.0' });
  server.tool('look', {}, () => 'Emma');
  const seen: string[] = [];
  const client = await connect((await serve(server)).url, {
    revision: '2026-07-28',
    middleware: [
      {
        receive: ({ method }, next) => {
          seen.push(method);
          next();
        },
      },
    ],
  });
  onTestFinished(() => client.close());
  const over = new AbortController();
  onTestFinished(() => over.abort());
  await new Promise<void>((resolve, reject) => {
    const listening = client.changes({ tools: true }, { signal: over.signal, onReady: () => resolve() });
    (async () => {
      for await (const _ of listening);
    })().catch(reject);
  });
  server.listChanged('tools');
  await until(() => expect(seen).toEqual(['notifications/tools/list_changed']));
});
