import type { JsonObject } from '../base/json.js';
import { type ClientCapability, capabilityShape } from '../protocol/capabilities.js';
import { ERROR, McpError, missingCapability } from '../protocol/errors.js';
import type { InputRequest } from '../protocol/input.js';
import type { Agreement, Obstacle } from './agreement.js';

/** The error for a question that a client must not be asked; undefined if it may be. */
export function objectionTo(agreement: Agreement, request: InputRequest): McpError | undefined {
  const { method, params } = request;
  const obstacle = agreement.whyNot('server', method, params as JsonObject | undefined);
  if (!obstacle) return undefined;
  const { revision } = agreement;
  const [capability, purpose] = needOf(request, obstacle);
  if (revision.questions.has(method)) return missingCapability(capability, purpose);
  return new McpError(
    ERROR.missingCapability,
    `revision ${revision.name}, which this client speaks, has no ${method}`,
    { requiredCapabilities: capabilityShape(capability) },
    { reason: 'missing-capability' },
  );
}

/** The capability that a client lacks, in the words of the newest revision, and the purpose that it is needed for. */
function needOf({ method, params }: InputRequest, { missing }: Obstacle): [ClientCapability, string] {
  switch (method) {
    case 'elicitation/create':
      return params?.mode === 'url'
        ? ['elicitation.url', 'a page for the user']
        : ['elicitation.form', 'a question to the user'];
    case 'sampling/createMessage':
      return [(missing?.capability ?? 'sampling.tools') as ClientCapability, 'sampling'];
    case 'roots/list':
      return ['roots', 'the list of roots'];
  }
}
