import type { Messages } from './revision.js';

/** The requests about features that every revision of both eras has, unless it says otherwise. */
export const FEATURE_REQUESTS: Messages = new Map([
  ['tools/list', 'server.tools'],
  ['tools/call', 'server.tools'],
  ['resources/list', 'server.resources'],
  ['resources/templates/list', 'server.resources'],
  ['resources/read', 'server.resources'],
  ['prompts/list', 'server.prompts'],
  ['prompts/get', 'server.prompts'],
  ['completion/complete', 'server.completions'],
]);

/** The notifications about requests and features that servers of both eras send. */
export const FEATURE_NOTIFICATIONS: Messages = new Map([
  ['notifications/cancelled', undefined],
  ['notifications/progress', undefined],
  ['notifications/message', 'server.logging'],
  ['notifications/tools/list_changed', 'server.tools.listChanged'],
  ['notifications/prompts/list_changed', 'server.prompts.listChanged'],
  ['notifications/resources/list_changed', 'server.resources.listChanged'],
  ['notifications/resources/updated', 'server.resources.subscribe'],
]);

/** The questions of servers of both eras. Some need more, depending on what they contain. */
export const FEATURE_QUESTIONS: Messages = new Map([
  ['elicitation/create', 'client.elicitation'],
  ['sampling/createMessage', 'client.sampling'],
  ['roots/list', 'client.roots'],
]);

export function without(messages: Messages, method: string): Messages {
  return new Map([...messages].filter(([name]) => name !== method));
}
