import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { nodeHandler } from 'tenon/node';
import { expect, it, onTestFinished } from 'vitest';
import { createBistro } from '../../examples/bistro/server.js';
import { CERTIFICATE, PRIVATE_KEY } from '../auth/client/certificate.js';
import { serveV1OverSse } from '../interop-client/servers/v1-http.js';
import { freshKeys } from '../keys.js';
import { tenon } from './run.js';
import { start } from './running.js';
import { temporaryFolder } from './temporary-folder.js';

/** A bistro behind TLS. Only those who are given its certificate trust it. */
async function serveSecurely(): Promise<string> {
  const handler = nodeHandler(createBistro(), { keys: freshKeys(), allowedHosts: ['localhost'] });
  const server = createServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (request, response) =>
    handler(request, response),
  );
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}/mcp`;
}

it.each(['2026-07-28', '2025-06-18'])(
  'traces a server at an https address for a client of %s',
  async revision => {
    const url = await serveSecurely();
    const authority = join(await temporaryFolder(), 'certificate.pem');
    await writeFile(authority, CERTIFICATE);
    const trace = start(['trace', '--json', url, '--bearer', 'a-secret-token'], {
      env: { NODE_EXTRA_CA_CERTS: authority },
    });
    const address = await trace.line(line => line.address as string | undefined);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const args = [
      'book_party',
      '--occasion',
      'wedding',
      '--answer',
      '{"guests": 12}',
      '--revision',
      revision,
    ];
    const { code, stdout } = await tenon(['call', address, ...args]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Booked the wedding: 12 guests, diet any, inside.\n',
    });
    await trace.line(
      ({ from, message }: any) => (from === 'server' && message?.result?.content) || undefined,
    );
    expect(await trace.end()).toBe(130);
    expect(JSON.stringify(trace.lines)).not.toContain('a-secret-token');
  },
);

it('says why a server at an https address cannot be reached', async () => {
  const trace = start(['trace', '--json', await serveSecurely()]);
  const address = await trace.line(line => line.address as string | undefined);
  const { code, stderr } = await tenon(['list', address]);
  expect(code).toBe(3);
  expect(stderr).toContain('self-signed certificate');
  expect(await trace.line(({ end }) => end as string | undefined)).toMatch(
    /cannot reach https:.*self-signed/,
  );
});

it('traces a server over HTTP+SSE, the transport of the first revision', async () => {
  const sse = await serveV1OverSse();
  onTestFinished(() => sse.close());
  const trace = start(['trace', '--json', `${sse.origin}/sse`]);
  const address = await trace.line(line => line.address as string | undefined);
  const direct = await tenon(['list', `${sse.origin}/sse`, '--json']);
  const traced = await tenon(['list', address, '--json']);
  expect(traced.code).toBe(0);
  expect(traced).toEqual(direct);
  const sent = await trace.line(({ from, message }: any) =>
    from === 'client' && message?.method === 'tools/list' ? message : undefined,
  );
  // The answer comes over the stream, not in the response to the request.
  const answer: any = await trace.line(line =>
    line.from === 'server' && (line as any).message?.id === sent.id && (line as any).message.result
      ? line
      : undefined,
  );
  const stream: any = trace.lines.find(({ exchange, request }) => exchange === answer.exchange && request);
  expect(stream.request).toMatchObject({ method: 'GET', path: '/sse' });
  expect(await trace.end()).toBe(130);
});
