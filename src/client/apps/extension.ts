import type { ClientExtension } from '../extension.js';

/** The type of the page of an app. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/**
 * Declares that the host shows apps. Servers that look for it offer their apps to this client.
 *
 * @example
 * const client = await connect(url, { extensions: [appsExtension] });
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export const appsExtension: ClientExtension = {
  id: 'io.modelcontextprotocol/ui',
  settings: { mimeTypes: [APP_MIME_TYPE] },
};
