import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import type { AppVisibility } from '../../protocol/apps.js';
import { SHOW_UI, type ToolUi } from '../registry/tools.js';
import type { Server } from '../server.js';
import { type AppOptions, readOptions } from './options.js';
import type { Page } from './page.js';
import { addPage, declareApps } from './serve.js';

/** A page that hosts show for tools: the `ui` of a tool. Several tools can have the same. */
export interface App extends ToolUi {
  /**
   * The same page for a tool that not everybody may call: only the model, or only pages of this server. A host does not
   * offer a tool to the model that is visible to pages only.
   *
   * @example
   * const board = app('./board.html');
   * server.tool('board', { ui: board }, () => 'The user sees the board.');
   * server.tool('clear', { ui: board.visibleTo('model') }, () => 'The board is empty.');
   */
  visibleTo(...who: AppVisibility[]): ToolUi;
}

/** An app for any page; `app` of each platform adds the kinds of pages that it can open. */
export function createApp(page: Page, options: AppOptions = {}): App {
  const shown = { page, options, meta: readOptions(options) };
  const uiFor = (visibility?: readonly AppVisibility[]) =>
    toolUi(visibility, (server, tool, isHidden) => {
      if (isHidden && !options.scopes?.length && !options.authorize)
        throw new UsageError(
          `tool "${tool}" is hidden, but its app is open to every caller: give the app scopes or authorize, too`,
        );
      return addPage(server, tool, shown);
    });
  return { ...uiFor(), visibleTo: (...who) => uiFor(checkVisibility(who)) };
}

/**
 * Says who may call a tool that shows no page of its own: only pages of this server, or only the model.
 *
 * @example
 * server.tool('refresh', { ui: visibleTo('app') }, () => 'the newest numbers');
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#visibility
 */
export function visibleTo(...who: AppVisibility[]): ToolUi {
  return toolUi(checkVisibility(who));
}

function toolUi(
  visibility: readonly AppVisibility[] | undefined,
  resourceFor?: (server: Server, tool: string, isHidden: boolean) => string,
): ToolUi {
  return {
    [SHOW_UI](server, tool, { ui: _, ...options }, ownOptions) {
      const { meta = {}, hidden } = options as { meta?: unknown; hidden?: unknown };
      checkMeta(meta, tool);
      declareApps(ownOptions);
      const resourceUri = resourceFor?.(server as Server, tool, hidden !== undefined);
      return {
        ...options,
        meta: {
          ...(meta as JsonObject),
          ui: { ...(resourceUri && { resourceUri }), ...(visibility && { visibility }) },
          // Hosts of before 2026-01-26 read the URI here.
          ...(resourceUri && { 'ui/resourceUri': resourceUri }),
        },
      } as never;
    },
  };
}

function checkMeta(meta: unknown, tool: string): void {
  const taken = isObject(meta) && ['ui', 'ui/resourceUri'].find(key => Object.hasOwn(meta, key));
  if (taken)
    throw new UsageError(
      `tool "${tool}" has "${taken}" in its meta and an app in ui, which writes it: remove one`,
    );
}

function checkVisibility(who: readonly AppVisibility[]): readonly AppVisibility[] {
  const wrong = who.find(one => one !== 'model' && one !== 'app');
  if (wrong !== undefined || who.length === 0)
    throw new UsageError(
      `a tool is visible to "model", to "app" or to both, not to ${who.length === 0 ? 'nobody' : quoteBriefly(wrong)}`,
    );
  return [...new Set(who)];
}
