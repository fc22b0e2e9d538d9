import { isObject, type JsonObject } from '../../base/json.js';
import type { Tool } from '../../protocol/tools.js';

/** What is read of a tool: its metadata. */
type WithMeta = Pick<Tool, '_meta'>;

/**
 * The URI of the app that shows the results of a tool; undefined if it has none. Besides `_meta.ui.resourceUri` it knows
 * the older spellings `ui/resourceUri`, of drafts of the extension, and `openai/outputTemplate`, of the Apps SDK of OpenAI.
 *
 * @example
 * const tools = await client.tools();
 * const withApps = tools.filter(tool => appUriOf(tool) !== undefined);
 */
export function appUriOf({ _meta = {} }: WithMeta): string | undefined {
  const found = [uiOf(_meta).resourceUri, _meta['ui/resourceUri'], _meta['openai/outputTemplate']];
  return found.find((uri): uri is string => typeof uri === 'string' && uri.startsWith('ui://'));
}

/**
 * Whether apps of the same server may call a tool.
 *
 * @example
 * const callable = (await client.tools()).filter(isForApps);
 */
export function isForApps(tool: WithMeta): boolean {
  return visibilityOf(tool).includes('app');
}

/**
 * Whether a model may see and call a tool. Hosts must leave the others out of the list that the model gets.
 *
 * @example
 * const tools = (await client.tools()).filter(isForModels);
 */
export function isForModels(tool: WithMeta): boolean {
  return visibilityOf(tool).includes('model');
}

/** Without `visibility`, a tool is for both; the Apps SDK of OpenAI has two members instead. */
function visibilityOf({ _meta = {} }: WithMeta): readonly unknown[] {
  const { visibility } = uiOf(_meta);
  if (visibility !== undefined) return Array.isArray(visibility) ? visibility : [];
  return [
    ...(_meta['openai/visibility'] === 'private' ? [] : ['model']),
    ...(_meta['openai/widgetAccessible'] === false ? [] : ['app']),
  ];
}

/** The member `ui` of metadata. */
export function uiOf(meta: JsonObject): JsonObject {
  return isObject(meta.ui) ? meta.ui : {};
}
