import type { InputRequest } from '../protocol/input.js';
import { isObject, type JsonObject, quoteBriefly } from '../protocol/json.js';
import { formProblem } from './form.js';

/** What is wrong with a question that a handler asks by hand; undefined if it can be asked. */
export function questionProblem(request: unknown): string | undefined {
  if (!isObject(request)) return 'it must be an object with a method';
  const { method, params } = request as { method: InputRequest['method']; params: unknown };
  switch (method) {
    case 'elicitation/create':
      return isObject(params) ? elicitationProblem(params) : NO_PARAMS;
    case 'sampling/createMessage':
      return isObject(params) ? samplingProblem(params) : NO_PARAMS;
    case 'roots/list':
      return params === undefined || isObject(params) ? undefined : NO_PARAMS;
    default:
      return `its method must be elicitation/create, sampling/createMessage or roots/list, not ${quoteBriefly(method)}`;
  }
}

const NO_PARAMS = 'its params must be an object';

function elicitationProblem({ mode, message, ...params }: JsonObject): string | undefined {
  if (typeof message !== 'string') return 'its message must be a text';
  if (mode === 'url') return pageProblem(params);
  if (mode !== undefined && mode !== 'form') return `its mode must be form or url, not ${quoteBriefly(mode)}`;
  return isObject(params.requestedSchema)
    ? formProblem(params.requestedSchema)
    : 'its requestedSchema must be a JSON Schema';
}

function pageProblem({ url, elicitationId }: JsonObject): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return `its url must be a URL, not ${quoteBriefly(url)}`;
  const isId = elicitationId === undefined || typeof elicitationId === 'string';
  return isId ? undefined : 'its elicitationId must be a text';
}

function samplingProblem({ messages, maxTokens }: JsonObject): string | undefined {
  if (!Array.isArray(messages) || !messages.every(isMessage)) {
    return 'its messages must be a list of objects with a role and content';
  }
  return typeof maxTokens === 'number' ? undefined : 'its maxTokens must be a number';
}

function isMessage(message: unknown): boolean {
  if (!isObject(message) || typeof message.role !== 'string') return false;
  return Array.isArray(message.content) ? message.content.every(isObject) : isObject(message.content);
}
