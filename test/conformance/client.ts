// The client that the conformance suite examines. The suite starts it, with the address of a server of its own:
// conformance client --command 'npm run fixture:client --' --scenario tools_call --spec-version 2025-11-25
import { type Client, connect } from '../../src/node/client/index.js';
import { listSkills } from '../../src/node/client/skills/index.js';
import { useProtected } from './fixture/authorized.js';
import { loadSkills } from './fixture/skills.js';

const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_PROTOCOL_VERSION: revision = '2026-07-28' } =
  process.env;
const url = process.argv[2];

const SCENARIOS: ReadonlyMap<string, (url: string) => Promise<void>> = new Map([
  ['initialize', callFirstTool],
  ['tools_call', callFirstTool],
  ['elicitation-sep1034-client-defaults', acceptDefaults],
  ['sse-retry', waitForAnswer],
  ['request-metadata', declareEverything],
  ['sep-2322-client-request-state', answerInRounds],
  ['http-standard-headers', useEveryList],
  ['http-custom-headers', callAsTold],
  ['http-invalid-tool-headers', callEveryTool],
  ['json-schema-ref-no-deref', listTools],
  ['json-schema-2020-12-preservation', echoSchema],
  ['sep-2640-client-no-prefetch', listServedSkills],
  ['sep-2640-client-verify-digest', loadEverySkill],
  ['sep-2640-client-verify-size', loadEverySkill],
  ['sep-2640-client-verify-frontmatter', loadEverySkill],
]);

const run = scenario.startsWith('auth/')
  ? (url: string) => useProtected(url, scenario, revision)
  : SCENARIOS.get(scenario);
if (!run || url === undefined) {
  console.error(`there is no scenario "${scenario}", or no address was given; known are:`);
  for (const name of SCENARIOS.keys()) console.error(`  ${name}`);
  process.exit(2);
}
// The suite ends only the shell that it started this in, and then waits for it.
setTimeout(() => process.exit(3), 100_000).unref();
await run(url);

/** Once in what the client finds out that the server speaks, once in the revision that the suite asks for. */
async function callFirstTool(url: string): Promise<void> {
  for (const options of [{}, { revision }]) {
    await using client = await connect(url, options);
    // The server of the scenario `initialize` declares nothing.
    const [tool] = client.server.capabilities.tools ? await client.tools() : [];
    if (tool) await client.callTool(tool.name, { a: 2, b: 3 });
  }
}

async function acceptDefaults(url: string): Promise<void> {
  await using client = await connect(url, { onElicit: () => ({ action: 'accept', content: {} }) });
  await client.callTool('test_client_elicitation_defaults');
}

async function waitForAnswer(url: string): Promise<void> {
  await using client = await connect(url);
  await client.callTool('test_reconnection');
}

async function declareEverything(url: string): Promise<void> {
  await using client = await connect(url, {
    onElicit: () => ({ action: 'cancel' }),
    onSample: () => ({ role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'none' }),
    roots: [{ uri: 'file:///srv' }],
  });
  await client.tools();
}

async function answerInRounds(url: string): Promise<void> {
  await using client: Client = await connect(url, {
    async onElicit() {
      await client.callTool('test_mrtr_unrelated');
      return { action: 'accept', content: { confirmed: true } };
    },
  });
  await client.callTool('test_mrtr_echo_state');
  await client.callTool('test_mrtr_no_state');
  await client.callTool('test_mrtr_no_result_type');
}

async function useEveryList(url: string): Promise<void> {
  await using client = await connect(url);
  for (const { name } of await client.tools()) await client.callTool(name);
  for (const { uri } of await client.resources()) await client.readResource(uri);
  for (const { name } of await client.prompts()) await client.getPrompt(name);
}

async function callAsTold(url: string): Promise<void> {
  const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
    toolCalls: { name: string; arguments: object }[];
  };
  await using client = await connect(url);
  await client.tools();
  for (const call of toolCalls) await client.callTool(call.name, call.arguments);
}

async function callEveryTool(url: string): Promise<void> {
  await using client = await connect(url, { onWarning: () => {} });
  for (const { name } of await client.tools()) await client.callTool(name, { region: 'us-west1' });
}

async function listTools(url: string): Promise<void> {
  await using client = await connect(url);
  await client.tools();
}

async function echoSchema(url: string): Promise<void> {
  await using client = await connect(url);
  const tool = (await client.tools()).find(({ name }) => name === 'json_schema_2020_12_tool');
  await client.callTool('json_schema_echo', { schema: tool?.inputSchema });
}

async function listServedSkills(url: string): Promise<void> {
  await using client = await connect(url);
  await listSkills(client);
}

async function loadEverySkill(url: string): Promise<void> {
  await using client = await connect(url);
  await loadSkills(client);
}
