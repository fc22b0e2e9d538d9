import { expect, it } from 'vitest';
import { pair } from '../client-faults/connected.js';
import { modern } from '../client-faults/raw-server.js';

const KEY = 'io.modelcontextprotocol/clientCapabilities';

// covers: 2026-07-28/elicitation/one-mode-at-least
it('capabilities that are undefined are not declared', async () => {
  const capabilities = {
    roots: undefined,
    sampling: { tools: undefined },
    elicitation: undefined,
    extensions: undefined,
  } as never;
  const onElicit = () => ({ action: 'decline' as const });
  const answer = modern({ 'tools/list': ask => ask.result({ tools: [] }) });
  for (const [options, declared] of [
    [{}, { sampling: {} }],
    [{ onElicit }, { sampling: {}, elicitation: { form: {} } }],
  ]) {
    const { client, server } = await pair(answer, { capabilities, ...options });
    await client.tools();
    expect(server.of('tools/list')[0]!.message.params._meta[KEY]).toEqual(declared);
  }
});
