import { expect, it } from 'vitest';
import { McpError, Server } from '../../src/server/index.js';
import { ModernClient } from '../http/modern-client.js';
import { serve } from '../http/serve.js';

// covers: 2026-07-28/completion/rate-is-limited, 2026-07-28/completion/server-limits-the-rate
// covers: 2026-07-28/tools/calls-are-rate-limited
it('calls and completions can be limited by middleware, which knows who calls and refuses before they run', async () => {
  let ran = 0;
  const used = new Map<string | undefined, number>();
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.use((call, next) => {
    if (!['tools/call', 'completion/complete'].includes(call.method)) return next();
    const count = (used.get(call.caller?.principal) ?? 0) + 1;
    used.set(call.caller?.principal, count);
    if (count > 2) throw new McpError(429, 'too many calls; try again in a minute');
    return next();
  });
  server.tool('soup', {}, () => `${++ran}`);
  server.resource('menu://{day}', { complete: { day: () => [`${++ran}`] } }, () => '');
  const { url } = await serve(server, {
    authenticate: request => ({ principal: request.header('authorization') ?? 'nobody' }),
  });
  const as = (authorization: string) => new ModernClient(url, { authorization });
  const complete = (client: ModernClient) =>
    client.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'menu://{day}' },
      argument: { name: 'day', value: '' },
    });
  const ada = as('ada');
  expect((await ada.call('soup')).error).toBeUndefined();
  expect((await complete(ada)).error).toBeUndefined();
  expect((await ada.call('soup')).error?.message).toContain('try again');
  expect((await complete(ada)).error?.message).toContain('try again');
  expect(ran).toBe(2);
  expect((await as('ben').call('soup')).error).toBeUndefined();
  expect((await ada.request('tools/list')).error).toBeUndefined();
});
