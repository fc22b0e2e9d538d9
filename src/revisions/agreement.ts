import { isObject, type JsonObject } from '../base/json.js';
import {
  type ClientCapabilities,
  type ClientCapability,
  hasCapability,
  hasServerCapability,
  type ServerCapabilities,
  type ServerCapability,
} from '../protocol/capabilities.js';
import type { Claim, Claims } from '../protocol/extensions.js';
import { REVISIONS } from './index.js';
import type { Need, Revision } from './revision.js';

export type Side = 'client' | 'server';

/** Why a message must not be sent. */
export interface Obstacle {
  /** A sentence for people. */
  readonly message: string;
  /** The capability that is missing. Absent if the revision does not have the message at all. */
  readonly missing?: { readonly side: Side; readonly capability: string };
}

/**
 * What a client and a server agreed on: the revision, and what each side declared. Everything that depends on a
 * capability, in either direction, asks this object.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation
 */
export class Agreement {
  readonly revision: Revision;
  readonly client: ClientCapabilities;
  /** Undefined if the server has not been asked: then nothing is known to be missing. */
  readonly server: ServerCapabilities | undefined;
  /** The parts that extensions of this side brought; undefined without extensions. */
  readonly claims: Claims | undefined;

  constructor(
    revision: Revision,
    client: ClientCapabilities,
    server: ServerCapabilities | undefined,
    claims?: Claims | undefined,
  ) {
    this.revision = revision;
    this.client = client;
    this.server = server;
    this.claims = claims;
  }

  /** Whether a side may send a message to the other one. Methods that no revision has belong to the authors. */
  maySend(sender: Side, method: string, params: JsonObject = {}): boolean {
    const need = this.#needOf(sender, method, params);
    return need !== 'revision' && (need === undefined || this.has(need));
  }

  /** Why a side must not send a message; undefined if it may. */
  whyNot(sender: Side, method: string, params: JsonObject = {}): Obstacle | undefined {
    const need = this.#needOf(sender, method, params);
    if (need === 'revision') {
      return { message: `a ${sender} cannot send ${method} in revision ${this.revision.name}` };
    }
    if (need === undefined || this.has(need)) return undefined;
    const { side, capability } = split(need);
    const message = `${method} needs the ${side} capability "${capability}", which this ${side} did not declare`;
    return { message, missing: { side, capability } };
  }

  /**
   * What a part of an extension needs that was not declared, `revision` if the revision does not have the part; undefined
   * if nothing is missing.
   */
  missingFor({ id, needsClient }: Claim): Need | 'revision' | undefined {
    const isNeeded = typeof needsClient === 'function' ? needsClient(this.revision.name) : needsClient;
    if (isNeeded === undefined) return 'revision';
    const needs: Need[] = [`server.extensions.${id}`];
    if (isNeeded) needs.push(`client.extensions.${id}`);
    return needs.find(need => !this.has(need));
  }

  /** Whether the side that the need names declared the capability. */
  has(need: Need): boolean {
    const { side, capability } = split(need);
    if (side === 'client') return hasCapability(this.client, capability as ClientCapability);
    return this.server === undefined || hasServerCapability(this.server, capability as ServerCapability);
  }

  /** The capability that a message depends on; `revision` if the revision does not have the message. */
  #needOf(sender: Side, method: string, params: JsonObject): Need | 'revision' | undefined {
    const { requests, clientNotifications, questions, notifications } = this.revision;
    const [asked, told] = sender === 'client' ? [requests, clientNotifications] : [questions, notifications];
    const messages = asked.has(method) ? asked : told;
    if (!messages.has(method)) return isCoreMethod(method) ? 'revision' : this.#needOfExtension(method);
    if (method === 'elicitation/create') return this.#needOfElicitation(params);
    if (method === 'sampling/createMessage') return this.#needOfSampling(params);
    return messages.get(method);
  }

  #needOfExtension(method: string): Need | 'revision' | undefined {
    const claim = this.claims?.messages.get(method);
    return claim && this.missingFor(claim);
  }

  #needOfElicitation({ mode }: JsonObject): Need | 'revision' {
    if (!this.revision.elicitation.url) return mode === 'url' ? 'revision' : 'client.elicitation';
    return mode === 'url' ? 'client.elicitation.url' : 'client.elicitation.form';
  }

  #needOfSampling(params: JsonObject): Need | 'revision' {
    if (usesTools(params) && !this.revision.samplingTools) return 'revision';
    const needs = this.samplingNeeds(params);
    return needs.find(need => !this.has(need)) ?? needs[0];
  }

  /** All capabilities that a request to the client's model needs. */
  samplingNeeds(params: JsonObject): [Need, ...Need[]] {
    const { includeContext = 'none' } = params;
    const needsContext = includeContext !== 'none' && this.revision.samplingTools;
    if (usesTools(params)) return ['client.sampling.tools', ...(needsContext ? [CONTEXT] : [])];
    return [needsContext ? CONTEXT : 'client.sampling'];
  }
}

const CONTEXT: Need = 'client.sampling.context';

/** Whether any revision has this method, so that it does not belong to an author. */
export function isCoreMethod(method: string): boolean {
  return CORE_METHODS.has(method);
}

const CORE_METHODS: ReadonlySet<string> = new Set(
  REVISIONS.flatMap(({ requests, clientNotifications, questions, notifications }) => [
    ...requests.keys(),
    ...clientNotifications.keys(),
    ...questions.keys(),
    ...notifications.keys(),
  ]),
);

function split(need: Need): { side: Side; capability: string } {
  const dot = need.indexOf('.');
  return { side: need.slice(0, dot) as Side, capability: need.slice(dot + 1) };
}

function usesTools({ tools, toolChoice, messages }: JsonObject): boolean {
  if (tools !== undefined || toolChoice !== undefined) return true;
  return Array.isArray(messages) && messages.some(message => isObject(message) && hasToolBlock(message));
}

function hasToolBlock({ content }: JsonObject): boolean {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.some(block => isObject(block) && (block.type === 'tool_use' || block.type === 'tool_result'));
}
