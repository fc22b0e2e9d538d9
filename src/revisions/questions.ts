import { isObject, type JsonObject, type JsonSchema, quoteBriefly } from '../base/json.js';
import type { ContentBlock } from '../protocol/content.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { multipleChoice, shownField } from '../protocol/form.js';
import {
  blocksOf,
  type CreateMessageParams,
  type ElicitFormParams,
  type ElicitResult,
  type ElicitUrlParams,
  type InputRequest,
  type InputResponse,
  type SamplingContent,
  type SamplingMessage,
} from '../protocol/input.js';
import type { Agreement } from './agreement.js';
import { encodeBlock } from './encode.js';
import { objectionTo } from './objection.js';
import type { Revision } from './revision.js';

/** Translates a question into the client's revision. Throws if the client must not be asked. */
export function encodeQuestion(agreement: Agreement, request: InputRequest): InputRequest {
  const objection = objectionTo(agreement, request);
  if (objection) throw objection;
  const { revision } = agreement;
  switch (request.method) {
    case 'elicitation/create':
      return { method: request.method, params: encodeElicitation(revision, request.params) };
    case 'sampling/createMessage':
      return { method: request.method, params: encodeSampling(revision, request.params) };
    case 'roots/list':
      // Some clients cannot read a request without parameters.
      return { method: request.method, params: request.params ?? {} };
  }
}

/** Throws if a form of a server has what its revision does not have. */
export function checkForm({ name, elicitation }: Revision, { method, params }: InputRequest): void {
  if (elicitation.schema === 'full' || method !== 'elicitation/create' || params.mode === 'url') return;
  const choice = isObject(params.requestedSchema) ? multipleChoice(params.requestedSchema) : undefined;
  if (choice === undefined) return;
  const problem = `its field ${quoteBriefly(choice)} must be a string, a number or a boolean in revision ${name}`;
  throw new McpError(ERROR.invalidParams, `the form cannot be shown: ${problem}`);
}

/** Translates the client's answer to a question into a revision. Throws if the revision cannot express it. */
export function encodeAnswer(revision: Revision, answer: InputResponse): InputResponse {
  if ('action' in answer) checkContent(revision, answer);
  if (revision.samplingTools || !('model' in answer)) return answer;
  const blocks = blocksOf(answer);
  const [content] = blocks;
  if (!content || blocks.length > 1) throw inexpressible(revision, `must be one block, not ${blocks.length}`);
  if (content.type === 'tool_use' || content.type === 'tool_result')
    throw inexpressible(revision, 'cannot use tools');
  return { ...answer, content: encodeBlock(revision, content) as unknown as SamplingContent };
}

/** Throws if the answer to a form has a list, and the revision has no multiple choice. */
function checkContent({ name, elicitation }: Revision, { content = {} }: ElicitResult): void {
  if (elicitation.schema === 'full') return;
  const list = Object.keys(content).find(field => Array.isArray(content[field]));
  if (list === undefined) return;
  const problem = `its field ${quoteBriefly(list)} must be a string, a number or a boolean in revision ${name}`;
  throw new McpError(ERROR.internal, `the answer of \`onElicit\` cannot be sent: ${problem}`);
}

function inexpressible({ name }: Revision, problem: string): McpError {
  return new McpError(ERROR.internal, `a model's answer ${problem} in revision ${name}`);
}

function encodeElicitation(
  revision: Revision,
  params: ElicitFormParams | ElicitUrlParams,
): ElicitFormParams | ElicitUrlParams {
  if (params.mode === 'url') {
    const { elicitationId = crypto.randomUUID(), ...rest } = params;
    return revision.elicitation.ids ? { ...rest, elicitationId } : rest;
  }
  const toField = revision.elicitation.schema === 'full' ? shownField : plainField;
  const schema = mapFields(params.requestedSchema, toField);
  const { mode: _mode, ...rest } = params;
  return { ...(revision.elicitation.mode && { mode: 'form' as const }), ...rest, requestedSchema: schema };
}

function mapFields(schema: JsonSchema, toField: (field: JsonObject) => JsonObject): JsonSchema {
  if (!isObject(schema.properties)) return schema;
  const fields = Object.entries(schema.properties).map(([name, field]) => [
    name,
    isObject(field) ? toField(field) : field,
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** A field without later features: defaults of strings and numbers, titled and multiple choices. */
function plainField(field: JsonObject): JsonObject {
  const { default: preset, ...rest } = shownField(field);
  const choices = field.oneOf;
  if (field.type === 'string' && Array.isArray(choices) && choices.every(isObject)) {
    const { oneOf: _oneOf, ...bare } = rest;
    const enumNames = choices.map(choice => choice.title ?? choice.const);
    return { ...bare, enum: choices.map(choice => choice.const), enumNames };
  }
  if (field.type === 'array') {
    throw new McpError(
      ERROR.missingCapability,
      'a question with a multiple choice needs a client of revision 2025-11-25 or newer',
      undefined,
      { reason: 'missing-capability' },
    );
  }
  return field.type === 'boolean' && preset !== undefined ? { ...rest, default: preset } : rest;
}

function encodeSampling(revision: Revision, params: CreateMessageParams): CreateMessageParams {
  if (revision.samplingTools) return params;
  return { ...params, messages: params.messages.flatMap(message => onePerBlock(revision, message)) };
}

/** Before a message could have several blocks, each block was a separate message. */
function onePerBlock(revision: Revision, message: SamplingMessage): SamplingMessage[] {
  const { role } = message;
  return blocksOf(message).map(block => ({
    role,
    content: encodeBlock(revision, block as ContentBlock) as unknown as SamplingContent,
  }));
}
