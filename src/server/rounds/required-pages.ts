import type { McpError, RequiredPage } from '../../protocol/errors.js';
import type { InputRequest, InputRequiredResult } from '../../protocol/input.js';

/** The pages that the user has to visit before a handler can continue, as questions asked by hand. */
export function pagesAsQuestions(
  call: { readonly requestState: string | undefined },
  error: McpError,
): InputRequiredResult {
  const { elicitations } = error.data as { elicitations: RequiredPage[] };
  const pages = elicitations.map(({ message, url }, at): [string, InputRequest] => [
    `page${at}`,
    { method: 'elicitation/create', params: { mode: 'url', message, url } },
  ]);
  const { requestState } = call;
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(pages),
    ...(requestState !== undefined && { requestState }),
  };
}
