import { isObject, type JsonObject, quoteBriefly } from '../base/json.js';
import { parseUrl } from '../base/url.js';
import { answerProblem, type InputRequest, type InputResponse, type Root } from '../protocol/input.js';

/** What an answer lacks; undefined if nothing. */
export function shapeProblem({ method }: InputRequest, answer: unknown): string | undefined {
  const isAnswer =
    isObject(answer) && answerProblem(method, answer as unknown as InputResponse) === undefined;
  switch (method) {
    case 'elicitation/create':
      if (!isAnswer) return 'it needs an `action`: accept, decline or cancel';
      return hasContent(answer) ? undefined : 'its `content` must be an object';
    case 'sampling/createMessage':
      return isAnswer ? undefined : 'it needs a `role`, `content` and a `model`';
    case 'roots/list':
      if (!isAnswer) return 'roots must be a list of objects with a `uri`';
      return rootsProblem((answer as unknown as { roots: Root[] }).roots);
  }
}

/** Whether the content of an answer to a form is an object, if there is any. */
function hasContent({ content }: JsonObject): boolean {
  return content === undefined || isObject(content);
}

/**
 * Why roots cannot be sent; undefined if they can.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root
 */
function rootsProblem(roots: readonly Root[]): string | undefined {
  const wrong = roots.find(({ uri }) => !parseUrl(uri) || !/^file:\/\//i.test(uri) || climbs(uri));
  return wrong && `the root ${quoteBriefly(wrong.uri)} must be a file:// URI without ".."`;
}

/** Whether a URI contains a step to the parent folder, also an encoded one. */
function climbs(uri: string): boolean {
  return /(^|[/\\])\.\.([/\\]|$)/.test(
    uri.replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\'),
  );
}
