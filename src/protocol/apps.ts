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

/** Whether a model may see and call a tool: yes, unless its metadata says that it is for pages only. */
export function isForModel({ _meta }: Pick<Tool, '_meta'>): boolean {
  const { visibility } = isObject(_meta?.ui) ? _meta.ui : {};
  return visibility === undefined || (Array.isArray(visibility) && visibility.includes('model'));
}

/** Whether a client that declared these settings of the extension shows pages. */
export function showsPages(settings: JsonObject | undefined): boolean {
  const { mimeTypes } = settings ?? {};
  return Array.isArray(mimeTypes) && mimeTypes.includes(APP_MIME_TYPE);
}
