import { APP_MIME_TYPE, APPS_ID } from '../../protocol/apps.js';
import type { ClientExtension } from '../extension.js';

/**
 * Declares that the host shows apps. Servers that look for it offer their apps to this client.
 *
 * @example
 * const client = await connect(url, { extensions: [appsExtension] });
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export const appsExtension: ClientExtension = {
  id: APPS_ID,
  settings: { mimeTypes: [APP_MIME_TYPE] },
};
