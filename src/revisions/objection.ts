import type { JsonObject } from '../base/json.js';
import { type ClientCapability, capabilityShape } from '../protocol/capabilities.js';
import { ERROR, McpError, missingCapability } from '../protocol/errors.js';
import type { InputRequest } from '../protocol/input.js';
import type { Agreement } from './agreement.js';
import type { Need } from './revision.js';

/** The error for a question that a client must not be asked; undefined if it may be. */
export function objectionTo(agreement: Agreement, request: InputRequest): McpError | undefined {
  const { method, params } = request;
  if (agreement.maySend('server', method, params as JsonObject | undefined)) return undefined;
  const { revision } = agreement;
  const [purpose, ...missing] = needsOf(agreement, request);
  if (revision.questions.has(method)) return missingCapability(purpose, ...missing);
  return new McpError(
    ERROR.missingCapability,
    `revision ${revision.name}, which this client speaks, has no ${method}`,
    { requiredCapabilities: capabilityShape(...missing) },
    { reason: 'missing-capability' },
  );
}

/** The purpose of a question, and the capabilities that the client lacks, in the words of the newest revision. */
function needsOf(
  agreement: Agreement,
  { method, params }: InputRequest,
): [string, ClientCapability, ...ClientCapability[]] {
  switch (method) {
    case 'elicitation/create':
      return params?.mode === 'url'
        ? ['a page for the user', 'elicitation.url']
        : ['a question to the user', 'elicitation.form'];
    case 'sampling/createMessage': {
      const missing = agreement.samplingNeeds({ ...params }).filter(need => !agreement.has(need));
      const [first = 'sampling.tools', ...more] = missing.map(withoutSide);
      return ['sampling', first, ...more];
    }
    case 'roots/list':
      return ['the list of roots', 'roots'];
  }
}

function withoutSide(need: Need): ClientCapability {
  return need.slice('client.'.length) as ClientCapability;
}
