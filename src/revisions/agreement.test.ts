import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/json.js';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.js';
import { Agreement, type Side } from './agreement.js';
import { encodeClientCapabilities } from './encode-declared.js';
import { findRevision, REVISIONS, type Revision } from './index.js';

const FIRST = '2024-11-05';
const STREAMABLE = '2025-03-26';
const FORMS = '2025-06-18';
const LAST_HANDSHAKE = '2025-11-25';
const STATELESS = '2026-07-28';
const HANDSHAKES = [FIRST, STREAMABLE, FORMS, LAST_HANDSHAKE];
const ALL = [...HANDSHAKES, STATELESS];

interface Row {
  sender: Side;
  method: string;
  /** The revisions that have the message. */
  revisions: string[];
  params?: JsonObject;
  /** What the declaring side must declare; nothing if the message needs no capability. */
  server?: ServerCapabilities;
  client?: ClientCapabilities;
  /** The revisions where the message needs no capability though later ones do. */
  free?: string[];
}

const question = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 1 };
const used = { role: 'user', content: [{ type: 'tool_result', toolUseId: '1', content: [] }] };

/** Taken from the schemas and pages of the five revisions. */
const TABLE: Row[] = [
  { sender: 'client', method: 'initialize', revisions: HANDSHAKES },
  { sender: 'client', method: 'ping', revisions: HANDSHAKES },
  { sender: 'client', method: 'server/discover', revisions: [STATELESS] },
  { sender: 'client', method: 'subscriptions/listen', revisions: [STATELESS] },
  { sender: 'client', method: 'tools/list', revisions: ALL, server: { tools: {} } },
  { sender: 'client', method: 'tools/call', revisions: ALL, server: { tools: {} } },
  { sender: 'client', method: 'prompts/list', revisions: ALL, server: { prompts: {} } },
  { sender: 'client', method: 'prompts/get', revisions: ALL, server: { prompts: {} } },
  { sender: 'client', method: 'resources/list', revisions: ALL, server: { resources: {} } },
  { sender: 'client', method: 'resources/templates/list', revisions: ALL, server: { resources: {} } },
  { sender: 'client', method: 'resources/read', revisions: ALL, server: { resources: {} } },
  {
    sender: 'client',
    method: 'completion/complete',
    revisions: ALL,
    server: { completions: {} },
    free: [FIRST],
  },
  { sender: 'client', method: 'logging/setLevel', revisions: HANDSHAKES, server: { logging: {} } },
  {
    sender: 'client',
    method: 'resources/subscribe',
    revisions: HANDSHAKES,
    server: { resources: { subscribe: true } },
  },
  {
    sender: 'client',
    method: 'resources/unsubscribe',
    revisions: HANDSHAKES,
    server: { resources: { subscribe: true } },
  },
  { sender: 'client', method: 'notifications/initialized', revisions: HANDSHAKES },
  { sender: 'client', method: 'notifications/cancelled', revisions: ALL },
  { sender: 'client', method: 'notifications/progress', revisions: HANDSHAKES },
  {
    sender: 'client',
    method: 'notifications/roots/list_changed',
    revisions: HANDSHAKES,
    client: { roots: { listChanged: true } },
  },
  { sender: 'server', method: 'ping', revisions: HANDSHAKES },
  { sender: 'server', method: 'roots/list', revisions: ALL, client: { roots: {} } },
  {
    sender: 'server',
    method: 'sampling/createMessage',
    params: question,
    revisions: ALL,
    client: { sampling: {} },
  },
  {
    sender: 'server',
    method: 'sampling/createMessage',
    params: { ...question, tools: [] },
    revisions: [LAST_HANDSHAKE, STATELESS],
    client: { sampling: { tools: {} } },
  },
  {
    sender: 'server',
    method: 'sampling/createMessage',
    params: { ...question, toolChoice: { mode: 'auto' } },
    revisions: [LAST_HANDSHAKE, STATELESS],
    client: { sampling: { tools: {} } },
  },
  {
    sender: 'server',
    method: 'sampling/createMessage',
    params: { ...question, messages: [used] },
    revisions: [LAST_HANDSHAKE, STATELESS],
    client: { sampling: { tools: {} } },
  },
  {
    sender: 'server',
    method: 'elicitation/create',
    params: { message: 'Who?', requestedSchema: {} },
    revisions: [FORMS, LAST_HANDSHAKE, STATELESS],
    client: { elicitation: { form: {} } },
  },
  {
    sender: 'server',
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Go', url: 'https://example.com/' },
    revisions: [LAST_HANDSHAKE, STATELESS],
    client: { elicitation: { url: {} } },
  },
  { sender: 'server', method: 'notifications/cancelled', revisions: ALL },
  { sender: 'server', method: 'notifications/progress', revisions: ALL },
  { sender: 'server', method: 'notifications/message', revisions: ALL, server: { logging: {} } },
  {
    sender: 'server',
    method: 'notifications/tools/list_changed',
    revisions: ALL,
    server: { tools: { listChanged: true } },
  },
  {
    sender: 'server',
    method: 'notifications/prompts/list_changed',
    revisions: ALL,
    server: { prompts: { listChanged: true } },
  },
  {
    sender: 'server',
    method: 'notifications/resources/list_changed',
    revisions: ALL,
    server: { resources: { listChanged: true } },
  },
  {
    sender: 'server',
    method: 'notifications/resources/updated',
    revisions: ALL,
    server: { resources: { subscribe: true } },
  },
  {
    sender: 'server',
    method: 'notifications/elicitation/complete',
    revisions: [LAST_HANDSHAKE],
    client: { elicitation: { url: {} } },
  },
  { sender: 'server', method: 'notifications/subscriptions/acknowledged', revisions: [STATELESS] },
];

describe.each(ALL)('revision %s', name => {
  const revision = findRevision(name) as Revision;

  it.each(TABLE)('$sender sends $method $params', row => {
    const { sender, method, params, server = {}, client = {} } = row;
    const may = (c: ClientCapabilities, s: ServerCapabilities) =>
      new Agreement(revision, encodeClientCapabilities(revision, c), s).maySend(sender, method, params);
    const isThere = row.revisions.includes(name);
    const isFree = (!row.server && !row.client) || row.free?.includes(name);
    expect(may(client, server)).toBe(isThere);
    expect(may({}, {})).toBe(isThere && Boolean(isFree));
    // A sub-capability is not part of its capability, except where the revision does not know it.
    if (isThere && row.server && JSON.stringify(row.server).includes('true')) {
      const [group] = Object.keys(row.server) as [string];
      expect(may({}, { [group]: {} })).toBe(false);
    }
  });

  it('knows no message besides those of the table', () => {
    const { requests, clientNotifications, questions, notifications } = revision;
    const known = (sender: Side) =>
      new Set(TABLE.filter(row => row.sender === sender && row.revisions.includes(name)).map(r => r.method));
    expect(new Set([...requests.keys(), ...clientNotifications.keys()])).toEqual(known('client'));
    expect(new Set([...questions.keys(), ...notifications.keys()])).toEqual(known('server'));
  });

  it('leaves the methods of authors alone, in both directions', () => {
    const nothing = new Agreement(revision, {}, {});
    expect(nothing.maySend('client', 'menus/page')).toBe(true);
    expect(nothing.maySend('server', 'notifications/menus/new')).toBe(true);
  });
});

it('says which capability of which side is missing, or that the revision has no such message', () => {
  const [modern] = REVISIONS as [Revision];
  const nothing = new Agreement(modern, {}, {});
  expect(nothing.whyNot('client', 'tools/list')).toEqual({
    message: 'tools/list needs the server capability "tools", which this server did not declare',
    missing: { side: 'server', capability: 'tools' },
  });
  expect(nothing.whyNot('server', 'elicitation/create', { mode: 'url' })?.missing).toEqual({
    side: 'client',
    capability: 'elicitation.url',
  });
  expect(nothing.whyNot('client', 'ping')).toEqual({
    message: 'a client cannot send ping in revision 2026-07-28',
  });
});

it('takes nothing for missing at a server that was not asked', () => {
  const [modern] = REVISIONS as [Revision];
  const unknown = new Agreement(modern, {}, undefined);
  expect(unknown.maySend('client', 'tools/list')).toBe(true);
  expect(unknown.maySend('server', 'roots/list')).toBe(false);
});

it('needs a capability to include context since sampling has sub-capabilities', () => {
  const params = { ...question, includeContext: 'thisServer' };
  for (const revision of REVISIONS) {
    const agreement = new Agreement(revision, { sampling: {} }, {});
    expect(agreement.maySend('server', 'sampling/createMessage', params)).toBe(!revision.samplingTools);
  }
});

describe('the capabilities that a client declares', () => {
  const declared = {
    roots: { listChanged: true },
    sampling: { tools: {} },
    elicitation: { form: {}, url: {} },
    experimental: { 'com.example/x': {} },
  };

  it.each([
    [FIRST, { roots: { listChanged: true }, sampling: {} }],
    [STREAMABLE, { roots: { listChanged: true }, sampling: {} }],
    [FORMS, { roots: { listChanged: true }, sampling: {}, elicitation: {} }],
    [LAST_HANDSHAKE, { ...declared, experimental: undefined }],
    [STATELESS, { ...declared, roots: {}, experimental: undefined }],
  ])('are those that %s knows', (name, expected) => {
    const { experimental, ...rest } = encodeClientCapabilities(findRevision(name) as Revision, declared);
    expect(rest).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(experimental).toEqual(declared.experimental);
  });

  it('have no elicitation on 2025-06-18 where only pages can be shown', () => {
    const pages = { elicitation: { url: {} } };
    expect(encodeClientCapabilities(findRevision(FORMS) as Revision, pages)).toEqual({});
  });
});
