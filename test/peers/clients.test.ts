import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type House, openHouse, type Transport } from './bistro.js';
import { aiSdk } from './clients/ai-sdk.js';
import { inspector } from './clients/inspector.js';
import { langchain } from './clients/langchain.js';
import { mcporter } from './clients/mcporter.js';
import { openaiAgents } from './clients/openai-agents.js';
import type { Outcome, Peer, PeerClient } from './clients/peer-client.js';
import { createHome } from './environment.js';

const PEERS = [aiSdk, langchain, openaiAgents, mcporter, inspector('legacy'), inspector('modern')];
const TRANSPORTS: Transport[] = ['Streamable HTTP', 'stdio'];
const WAYS = PEERS.flatMap(peer =>
  TRANSPORTS.map((transport): [string, Transport, Peer] => [peer.name, transport, peer]),
);

const home = createHome();

describe.each(WAYS)('%s over %s', (_name, transport, peer) => {
  let house: House;
  let client: PeerClient;
  beforeAll(async () => {
    house = await openHouse();
    client = await peer.open(transport, house.target, home);
  });
  afterAll(async () => {
    await client?.close();
    await house?.close();
  });

  /** Some clients throw what others return as a failure. */
  const callTool = (name: string, args: Record<string, unknown>): Promise<Outcome> =>
    client
      .callTool(name, args)
      .catch((error: Error) => ({ text: error.message, pictures: [], failed: true }));

  test('lists the tools', async () => {
    const names = ['list_tables', 'reserve', 'show_dish', 'book_party'];
    expect(await client.listTools()).toEqual(expect.arrayContaining(names));
  });

  test('gets structured content', async () => {
    const { structured } = await callTool('list_tables', { seats: 8 });
    expect(structured).toEqual({ tables: [{ id: 'terrace', seats: 8, free: true }] });
  });

  test('gets a picture', async () => {
    const { text, pictures } = await callTool('show_dish', { dish: 'ratatouille' });
    expect(text).toBe('ratatouille');
    expect(pictures).toEqual([expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/)]);
  });

  test('learns why a tool failed', async () => {
    const outcome = await callTool('reserve', { table: 'none', guests: 2, name: 'Ada' });
    expect(outcome.text).toContain('There is no table "none"');
    if (!peer.hidesFailures) expect(outcome.failed).toBe(true);
  });

  test(peer.elicits ? 'answers a question' : 'learns that a tool needs elicitation', async () => {
    const { text } = await callTool('book_party', { occasion: 'birthday' });
    if (peer.elicits) expect(text).toBe('Booked the birthday: 6 guests, diet vegan, on the terrace.');
    else expect(text).toMatch(/needs the client capability .*elicitation\.form/);
  });

  test('reads a resource', async () => {
    expect(await client.readResource('bistro://house-rules')).toContain('Dogs are welcome');
  });

  test(`has spoken ${peer.revisions[transport]}`, () => {
    expect(house.revisions(transport)).toEqual([peer.revisions[transport]]);
  });
});
