import { UsageError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { type Change, changesIn, commonFilter, type SubscriptionFilter } from '../protocol/changes.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { NotSupported } from '../protocol/failures.js';
import type { CreateMessageParams, InputRequest } from '../protocol/input.js';
import type { Agreement } from '../revisions/agreement.js';

/** Throws if the client must not send a message: the server, the client itself or the revision lacks what it needs. */
export function checkSending(agreement: Agreement, method: string, params?: JsonObject): void {
  const obstacle = agreement.whyNot('client', method, params);
  if (!obstacle) return;
  const { message, missing } = obstacle;
  if (missing?.side === 'client') throw new UsageError(`${message}: add it to \`capabilities\` of connect`);
  const advice = missing ? '; `client.server.capabilities` has those that it did' : '';
  throw new NotSupported(message + advice, missing?.capability);
}

/**
 * The question of a server as the client may answer it. Throws the error to respond with if the client did not declare
 * what the question needs.
 */
export function checkQuestion(agreement: Agreement, question: InputRequest): InputRequest {
  const { method, params = {} } = question;
  const obstacle = agreement.whyNot('server', method, params as JsonObject);
  if (!obstacle) return question;
  if (obstacle.missing?.capability === 'sampling.context') {
    // Servers only should not ask for context, and clients may ignore it.
    const { includeContext: _context, ...rest } = params as CreateMessageParams;
    return checkQuestion(agreement, { method: 'sampling/createMessage', params: rest });
  }
  const need = agreement.revision.questions.get(method);
  const isKnown = need !== undefined && agreement.has(need);
  throw new McpError(isKnown ? ERROR.invalidParams : ERROR.methodNotFound, obstacle.message);
}

/** The part of a filter that the server declared to report; throws if there is none. */
export function checkFilter(agreement: Agreement, filter: SubscriptionFilter): SubscriptionFilter {
  const wanted = agreement.reportable(filter);
  if (changesIn(wanted).length === 0) throw notReported(filter);
  return wanted;
}

/** The error for changes that a server does not report. */
export function notReported(filter: SubscriptionFilter, cause?: unknown): NotSupported {
  const [first] = changesIn(filter);
  const message = `the server does not report changes of ${describeFilter(filter)}`;
  return new NotSupported(message, first && CAPABILITIES[first.kind], { cause });
}

/** The changes that a filter names and another one lacks, for people; undefined if it lacks none. */
export function describeMissing(filter: SubscriptionFilter, other: SubscriptionFilter): string | undefined {
  const present = new Set(changesIn(commonFilter(filter, other)).map(nameOf));
  const missing = changesIn(filter).map(nameOf);
  return list(missing.filter(name => !present.has(name)));
}

const CAPABILITIES = {
  tools: 'tools.listChanged',
  prompts: 'prompts.listChanged',
  resources: 'resources.listChanged',
  resource: 'resources.subscribe',
  elicitation: undefined,
} as const satisfies Record<Change['kind'], string | undefined>;

function describeFilter(filter: SubscriptionFilter): string {
  return list(changesIn(filter).map(nameOf)) ?? 'anything';
}

function nameOf(change: Exclude<Change, { kind: 'elicitation' }>): string {
  return change.kind === 'resource' ? change.uri : `the list of ${change.kind}`;
}

const MAX_NAMES = 5;

function list(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const rest = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
