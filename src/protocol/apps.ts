import { isObject, type JsonObject } from '../base/json.js';
import type { Tool } from './tools.js';

/** The id of the extension. */
export const APPS_ID = 'io.modelcontextprotocol/ui';

/** The MIME type of a page that hosts show. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** The largest page of an app, in bytes: escaped, it must fit into a message, for which clients allow 16 MiB. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * The origins that a page may use beside itself. A list that is missing, or empty, allows none.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#ui-resource-format
 */
export interface AppCsp {
  /** For `fetch`, `XMLHttpRequest` and `WebSocket`. */
  connectDomains?: readonly string[] | undefined;
  /** For scripts, styles, images, fonts and media. */
  resourceDomains?: readonly string[] | undefined;
  /** For frames in the page. */
  frameDomains?: readonly string[] | undefined;
  /** For the base URI of the page. */
  baseUriDomains?: readonly string[] | undefined;
}

/** What a page asks the browser for. Hosts may refuse it. */
export type AppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite';

/** Who may call a tool: the model, or the pages of the same server. */
export type AppVisibility = 'model' | 'app';

/**
 * Whether apps of the same server may call a tool.
 *
 * @example
 * const callable = (await client.tools()).filter(isForApps);
 */
export function isForApps(tool: Pick<Tool, '_meta'>): boolean {
  return visibilityOf(tool).includes('app');
}

/**
 * Whether a model may see and call a tool. Hosts must leave the others out of the list that the model gets.
 *
 * @example
 * const tools = (await client.tools()).filter(isForModels);
 */
export function isForModels(tool: Pick<Tool, '_meta'>): boolean {
  return visibilityOf(tool).includes('model');
}

/** Without `visibility`, a tool is for both; the Apps SDK of OpenAI has two members instead. */
function visibilityOf({ _meta = {} }: Pick<Tool, '_meta'>): readonly unknown[] {
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

/** Whether a client that declared these settings of the extension shows pages. */
export function showsPages(settings: JsonObject | undefined): boolean {
  const { mimeTypes } = settings ?? {};
  return Array.isArray(mimeTypes) && mimeTypes.includes(APP_MIME_TYPE);
}
