import { uiOf } from '../../protocol/apps.js';
import type { Tool } from '../../protocol/tools.js';

/**
 * The URI of the app that shows the results of a tool; undefined if it has none. Besides `_meta.ui.resourceUri` it knows
 * the older spellings `ui/resourceUri`, of drafts of the extension, and `openai/outputTemplate`, of the Apps SDK of OpenAI.
 *
 * @example
 * const tools = await client.tools();
 * const withApps = tools.filter(tool => appUriOf(tool) !== undefined);
 */
export function appUriOf({ _meta = {} }: Pick<Tool, '_meta'>): string | undefined {
  const found = [uiOf(_meta).resourceUri, _meta['ui/resourceUri'], _meta['openai/outputTemplate']];
  return found.find((uri): uri is string => typeof uri === 'string' && uri.startsWith('ui://'));
}
