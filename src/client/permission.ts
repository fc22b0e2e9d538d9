import type { JsonObject } from '../base/json.js';
import { ERROR, McpError } from '../protocol/errors.js';
import type { CreateMessageParams, InputRequest } from '../protocol/input.js';
import type { Agreement } from '../revisions/agreement.js';

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
