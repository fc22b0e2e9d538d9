import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { envelope, ModernClient, mirror } from './modern-client.js';
import { type Answer, readAnswer } from './send.js';
import { serve, serverWith } from './serve.js';

const mirrored = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    limit: { type: 'integer', 'x-mcp-header': 'Limit' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    deep: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
    query: { type: 'string' },
  },
} as const;

async function open() {
  const { url } = await serve(
    serverWith(
      server => {
        server.tool('greet', {}, () => 'hello');
        server.tool('grüße', {}, () => 'hallo');
        server.tool('=?base64?Z3JlZXQ=?=', {}, () => 'tricky');
        server.tool('sql', { input: mirrored }, args => JSON.stringify(args));
        server.prompt('welcome', {}, () => 'hello');
        server.resource('note://a', {}, () => 'a');
      },
      // Two of the names are discouraged, which is reported.
      { onError: () => {} },
    ),
  );
  return new ModernClient(url);
}

function base64(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function expectMismatch({ status, error }: Answer, about: RegExp): void {
  expect([status, error?.code]).toEqual([400, -32020]);
  expect(error?.message).toMatch(about);
}

/** Sends headers that fetch would join or refuse. */
function sendRaw(
  url: string,
  body: object,
  headers: Record<string, string | string[]>,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    request.once('error', reject);
    request.once('response', response => {
      let text = '';
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.end(JSON.stringify(body));
  });
}

function toolCall(name: string, args: object = {}) {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: envelope() },
  };
}

describe('MCP-Protocol-Version', () => {
  // covers: 2026-07-28/basic/reserved-codes-as-defined
  // covers: 2026-07-28/streamable-http/version-mismatch-is-refused
  test('must be there and say what the envelope says', async () => {
    const client = await open();
    expectMismatch(
      await client.call('greet', {}, { headers: { 'mcp-protocol-version': '' } }),
      /MCP-Protocol-Version/i,
    );
    expectMismatch(
      await client.call('greet', {}, { headers: { 'mcp-protocol-version': '2025-06-18' } }),
      /2025-06-18/,
    );
    expectMismatch(
      await client.call('greet', {}, { headers: { 'mcp-protocol-version': '2099-01-01' } }),
      /2099-01-01/,
    );
  });
});

describe('Mcp-Method', () => {
  // covers: 2026-07-28/streamable-http/header-failure-is-32020
  // covers: 2026-07-28/streamable-http/headers-match-the-body
  test('must be there and say what the body says, in the same case', async () => {
    const client = await open();
    expectMismatch(await client.call('greet', {}, { headers: { 'mcp-method': '' } }), /Mcp-Method/);
    expectMismatch(
      await client.call('greet', {}, { headers: { 'mcp-method': 'tools/list' } }),
      /tools\/list/,
    );
    expectMismatch(
      await client.call('greet', {}, { headers: { 'mcp-method': 'Tools/Call' } }),
      /Tools\/Call/,
    );
  });

  test('is needed for every method, known or not, before anything else is said about it', async () => {
    const client = await open();
    for (const method of ['tools/list', 'server/discover', 'no/such/method', 'subscriptions/listen']) {
      expectMismatch(await client.request(method, {}, { headers: { 'mcp-method': '' } }), /missing/);
    }
  });
});

describe('Mcp-Name', () => {
  // covers: 2026-07-28/streamable-http/headers-match-the-body
  test('must be there for tools, prompts and resources', async () => {
    const client = await open();
    const headers = { 'mcp-name': '' };
    expectMismatch(await client.call('greet', {}, { headers }), /Mcp-Name/);
    expectMismatch(await client.request('prompts/get', { name: 'welcome' }, { headers }), /Mcp-Name/);
    expectMismatch(await client.request('resources/read', { uri: 'note://a' }, { headers }), /Mcp-Name/);
    for (const answer of [
      await client.call('greet'),
      await client.request('prompts/get', { name: 'welcome' }),
      await client.request('resources/read', { uri: 'note://a' }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.result).toBeDefined();
    }
  });

  test('must say what the body says, in the same case', async () => {
    const client = await open();
    for (const name of ['Greet', 'sql', 'greet2', 'greet,greet']) {
      expectMismatch(await client.call('greet', {}, { headers: { 'mcp-name': name } }), /Mcp-Name/);
    }
  });

  test('must not name something where the body names nothing', async () => {
    const client = await open();
    expectMismatch(await client.request('tools/call', {}, { headers: { 'mcp-name': 'greet' } }), /Mcp-Name/);
    expectMismatch(
      await client.request('tools/call', { name: 5 }, { headers: { 'mcp-name': '5' } }),
      /Mcp-Name/,
    );
  });

  // covers: 2026-07-28/streamable-http/encoded-values-are-decoded
  test('may be in Base64, and is decoded before it is compared', async () => {
    const client = await open();
    const call = (name: string, header: string) => client.call(name, {}, { headers: { 'mcp-name': header } });
    expect((await call('grüße', base64('grüße'))).result.content[0].text).toBe('hallo');
    expect((await call('greet', base64('greet'))).result.content[0].text).toBe('hello');
    expect((await call('=?base64?Z3JlZXQ=?=', base64('=?base64?Z3JlZXQ=?='))).result.content[0].text).toBe(
      'tricky',
    );
    expectMismatch(await call('greet', base64('grüße')), /Mcp-Name/);
    expectMismatch(await call('=?base64?Z3JlZXQ=?=', '=?base64?Z3JlZXQ=?='), /Mcp-Name/);
  });

  // covers: 2026-07-28/streamable-http/header-failure-is-32020
  // covers: 2026-07-28/streamable-http/markers-are-exact
  test.for([
    '=?base64?Z3JlZXQ?=',
    '=?base64?Z3JlZXQ= ?=',
    '=?base64?***?=',
    '=?base64?/w==?=',
    '=?BASE64?Z3JlZXQ=?=',
    '=?base64?=',
  ])('is refused when it is not encoded correctly: %s', async header => {
    const client = await open();
    expectMismatch(await client.call('greet', {}, { headers: { 'mcp-name': header } }), /Mcp-Name/);
  });

  test('is not needed, and not looked at, where the method has no target', async () => {
    const client = await open();
    expect((await client.request('tools/list', {}, { headers: { 'mcp-name': 'whatever' } })).status).toBe(
      200,
    );
  });
});

describe('Mcp-Param-*', () => {
  const args = { region: 'us-west1', limit: 42, dry: true, deep: { zone: 'b' }, query: 'SELECT 1' };
  const headers = {
    'mcp-param-region': 'us-west1',
    'mcp-param-limit': '42',
    'mcp-param-dry-run': 'true',
    'mcp-param-zone': 'b',
  };

  // covers: 2026-07-28/streamable-http/header-names-ignore-case
  test('that say what the arguments say let the call through, whatever the case of their names', async () => {
    const client = await open();
    expect((await client.call('sql', args, { headers })).result.content[0].text).toBe(JSON.stringify(args));
    const { status } = await sendRaw(client.url, toolCall('sql', args), {
      ...mirror('tools/call', { name: 'sql' }),
      'MCP-PARAM-REGION': 'us-west1',
      'Mcp-Param-Limit': '42',
      'mcp-param-Dry-run': 'true',
      'Mcp-Param-Zone': 'b',
    });
    expect(status).toBe(200);
  });

  // covers: 2026-07-28/streamable-http/missing-header-is-refused
  test.for(Object.keys(headers))('%s must not be missing when the argument is there', async name => {
    const client = await open();
    expectMismatch(await client.call('sql', args, { headers: { ...headers, [name]: '' } }), /Mcp-Param-/);
  });

  // covers: 2026-07-28/streamable-http/header-failure-is-32020
  // covers: 2026-07-28/streamable-http/headers-match-the-body
  test.for([
    ['mcp-param-region', 'eu-north1'],
    ['mcp-param-region', 'US-WEST1'],
    ['mcp-param-limit', '43'],
    ['mcp-param-limit', 'many'],
    ['mcp-param-dry-run', 'false'],
    ['mcp-param-dry-run', 'True'],
    ['mcp-param-zone', 'c'],
    ['mcp-param-region', '=?base64?***?='],
  ] as const)('%s: %s must not differ from the argument', async ([name, value]) => {
    const client = await open();
    expectMismatch(await client.call('sql', args, { headers: { ...headers, [name]: value } }), /Mcp-Param-/);
  });

  // covers: 2026-07-28/streamable-http/absent-header-is-not-expected
  // covers: 2026-07-28/streamable-http/null-header-is-not-expected
  test('are not expected for arguments that are absent or null', async () => {
    const client = await open();
    expect((await client.call('sql', { query: 'SELECT 1' })).status).toBe(200);
    expectMismatch(
      await client.call('sql', { query: 'SELECT 1' }, { headers: { 'mcp-param-region': 'us-west1' } }),
      /Region/,
    );
    const { error } = await client.call('sql', { region: null, query: 'SELECT 1' });
    expect(error?.code).not.toBe(-32020);
  });

  // covers: 2026-07-28/streamable-http/integers-are-compared-as-numbers
  test('are compared as numbers where the argument is an integer', async () => {
    const client = await open();
    for (const limit of ['42.0', '42.00', '42']) {
      const answer = await client.call('sql', { limit: 42 }, { headers: { 'mcp-param-limit': limit } });
      expect(answer.status, limit).toBe(200);
    }
  });

  // covers: 2026-07-28/streamable-http/encoded-values-are-decoded
  test('may be in Base64, and are decoded before they are compared', async () => {
    const client = await open();
    const region = ' übersee\n';
    const answer = await client.call('sql', { region }, { headers: { 'mcp-param-region': base64(region) } });
    expect(answer.result.content[0].text).toBe(JSON.stringify({ region }));
    expectMismatch(
      await client.call('sql', { region }, { headers: { 'mcp-param-region': base64('other') } }),
      /Region/,
    );
  });

  test('that no argument is mirrored into are ignored', async () => {
    const client = await open();
    expect((await client.call('greet', {}, { headers: { 'mcp-param-region': 'anything' } })).status).toBe(
      200,
    );
    expect(
      (await client.call('sql', { query: 'q' }, { headers: { 'mcp-param-query': 'anything' } })).status,
    ).toBe(200);
  });
});

describe('a header with characters that no header may have', () => {
  // covers: 2026-07-28/streamable-http/invalid-characters-are-refused
  test.for([
    ['mcp-name', 'grüße', {}],
    ['mcp-param-region', 'sql', { region: 'köln' }],
  ] as const)('is refused, even if the body has the same: %s', async ([header, tool, args]) => {
    const client = await open();
    const headers = {
      ...mirror('tools/call', { name: 'sql' }),
      [header]: header === 'mcp-name' ? tool : 'köln',
    };
    const { status, text } = await sendRaw(client.url, toolCall(tool, args), headers);
    expect([status, JSON.parse(text).error.code]).toEqual([400, -32020]);
  });
});

describe('a header that comes twice', () => {
  test.for([
    ['mcp-method', ['tools/call', 'tools/call']],
    ['mcp-name', ['sql', 'sql']],
    ['mcp-protocol-version', ['2026-07-28', '2026-07-28']],
    ['mcp-param-region', ['us-west1', 'us-west1']],
    ['mcp-param-region', ['us-west1', 'eu-north1']],
  ] as const)('is refused, even if both say the same: %s', async ([name, values]) => {
    const client = await open();
    const headers = {
      ...mirror('tools/call', { name: 'sql' }),
      'mcp-param-region': 'us-west1',
      [name]: [...values],
    };
    const { status, text } = await sendRaw(client.url, toolCall('sql', { region: 'us-west1' }), headers);
    expect([status, JSON.parse(text).error.code]).toEqual([400, -32020]);
  });

  test('is told apart from one value that has a comma in it', async () => {
    const client = await open();
    const region = 'us-west1, eu-north1';
    expect((await client.call('sql', { region }, { headers: { 'mcp-param-region': region } })).status).toBe(
      200,
    );
    const twice = { ...mirror('tools/call', { name: 'sql' }), 'mcp-param-region': ['us-west1', 'eu-north1'] };
    const { status } = await sendRaw(client.url, toolCall('sql', { region }), twice);
    expect(status).toBe(400);
  });
});

describe('the refusal of a header', () => {
  // covers: 2026-07-28/basic/error-has-the-id-of-its-request
  test('carries the id of the request', async () => {
    const client = await open();
    const response = await client.post(
      'tools/call',
      { name: 'greet' },
      { id: 'my id', headers: { 'mcp-name': 'x' } },
    );
    expect((await readAnswer(response)).last.id).toBe('my id');
  });

  test('comes before the tool runs', async () => {
    let runs = 0;
    const { url } = await serve(
      serverWith(server => {
        server.tool('count', { input: mirrored }, () => ++runs);
      }),
    );
    const client = new ModernClient(url);
    await client.call('count', { region: 'a' }, { headers: { 'mcp-param-region': 'b' } });
    await client.call('count', {}, { headers: { 'mcp-name': 'other' } });
    expect(runs).toBe(0);
  });
});
