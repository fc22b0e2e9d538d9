import { appSandbox } from 'tenon/apps/host';
import { expect, it } from 'vitest';

const HOST = 'https://chat.example';
const serve = appSandbox({ hosts: [HOST] });

// covers: apps/host-denies-by-default
it('allows an app nothing but its own page unless it declares more', () => {
  expect(policyFor({})).toBe(
    [
      "default-src 'none'",
      "script-src 'unsafe-inline'",
      "style-src 'unsafe-inline'",
      'img-src data: blob:',
      'media-src data: blob:',
      'font-src data:',
      "connect-src 'none'",
      "frame-src 'none'",
      "base-uri 'none'",
      "object-src 'none'",
      "form-action 'none'",
      'sandbox allow-scripts allow-forms',
      `frame-ancestors 'self' ${HOST}`,
    ].join('; '),
  );
});

// covers: apps/host-builds-the-policy, apps/sandbox-enforces-the-policy
it('allows exactly the declared hosts, each for its purpose', () => {
  const policy = policyFor({
    connectDomains: ['https://api.example', 'wss://live.example:8443', 'http://localhost:3000'],
    resourceDomains: ['https://*.cdn.example', 'https://unpkg.example/three@0.1/'],
    frameDomains: ['https://video.example'],
    baseUriDomains: ['https://base.example'],
  });
  const of = (name: string) => policy.split('; ').find(directive => directive.startsWith(`${name} `));
  expect(of('connect-src')).toBe(
    'connect-src https://api.example wss://live.example:8443 http://localhost:3000',
  );
  expect(of('script-src')).toBe(
    "script-src 'unsafe-inline' https://*.cdn.example https://unpkg.example/three@0.1/",
  );
  expect(of('frame-src')).toBe('frame-src https://video.example');
  expect(of('base-uri')).toBe('base-uri https://base.example');
});

// covers: apps/host-does-not-loosen
it.each([
  '*',
  'https:',
  'https://*',
  'data:',
  "'unsafe-eval'",
  'http://api.example',
  'https://a.example; script-src *',
  'https://a.example https://b.example',
  'https://a.example\nx',
  'https://a.example,https://b.example',
  `https://${'a'.repeat(300)}.example`,
  'javascript:alert(1)',
  7,
])('leaves out what is not a host: %s', source => {
  expect(policyFor({ connectDomains: [source], resourceDomains: [source] })).toBe(policyFor({}));
});

it('serves nothing to hosts that it does not know', async () => {
  const foreign = serve(new Request('https://apps.example/?host=https://evil.example'));
  expect(foreign.status).toBe(403);
  expect(await foreign.text()).toBe('This host may not show apps here.\n');
  expect(serve(new Request('https://apps.example/')).status).toBe(403);
  expect(serve(new Request(`https://apps.example/?host=${HOST}`, { method: 'POST' })).status).toBe(405);
  expect(serve(new Request(`https://apps.example/?host=${HOST}&csp={`)).status).toBe(400);
});

it('allows the frame of an app to come from the sandbox only, whatever the app declares', () => {
  const query = new URLSearchParams({
    host: HOST,
    csp: JSON.stringify({ frameDomains: ['https://a.example'] }),
  });
  const { headers } = serve(new Request(`https://apps.example/?${query}`));
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; " +
      `form-action 'none'; frame-ancestors ${HOST}`,
  );
});

/** The policy that the frame of an app is sent with. */
function policyFor(csp: object): string {
  const query = new URLSearchParams({ host: HOST, csp: JSON.stringify(csp), frame: '1' });
  const response = serve(new Request(`https://apps.example/?${query}`));
  expect(response.status).toBe(200);
  return response.headers.get('content-security-policy') ?? '';
}
