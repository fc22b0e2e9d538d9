import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { APP_MIME_TYPE, type AppCsp, MAX_PAGE_BYTES, uiOf } from '../../protocol/apps.js';
import type { AppClient } from './client.js';
import { type AppPermissions, readCsp, readPermissions } from './policy.js';
import { AppRefused } from './refused.js';

/** The page of an app, as it was read from its server and checked. */
export interface AppPage {
  readonly uri: string;
  readonly html: string;
  /** The hosts that it wants to reach. Everything else is blocked. */
  readonly csp: AppCsp;
  /** What it wants to use of the browser. */
  readonly permissions: AppPermissions;
  /** Whether it asks for a border around it, or for none. */
  readonly prefersBorder: boolean | undefined;
}

/**
 * Reads the page of an app. Throws `AppRefused` if it is none, or too large. Nothing of it runs.
 *
 * @example
 * const page = await loadApp(client, 'ui://weather/dashboard');
 * console.log(page.csp.connectDomains, page.permissions);
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#ui-resource-format
 */
export async function loadApp(
  client: AppClient,
  uri: string,
  options: LoadAppOptions = {},
): Promise<AppPage> {
  const { signal, onWarning } = options;
  if (!uri.startsWith('ui://'))
    throw new AppRefused(`${quoteBriefly(uri)} is no app: its URI must begin with ui://`);
  const { contents } = await client.request('resources/read', { uri }, { signal });
  const content = (Array.isArray(contents) ? contents : []).find(one => isObject(one) && one.uri === uri);
  if (!isObject(content)) throw new AppRefused(`the server answered with no content for ${uri}`);
  const html = readHtml(uri, content);
  const meta = await metaOf(client, uri, content);
  const ui = uiOf(meta);
  return {
    uri,
    html,
    csp: readCsp(ui.csp ?? oldCsp(meta['openai/widgetCSP']), onWarning),
    permissions: readPermissions(ui.permissions),
    prefersBorder: [ui.prefersBorder, meta['openai/widgetPrefersBorder']].find(
      one => typeof one === 'boolean',
    ) as boolean | undefined,
  };
}

/** How the page of an app is read. */
export interface LoadAppOptions {
  signal?: AbortSignal | undefined;
  /** Gets what is left out of the policy that the server declared, one sentence each. */
  onWarning?: ((message: string) => void) | undefined;
}

function readHtml(uri: string, { mimeType, text, blob }: JsonObject): string {
  if (!isAppType(mimeType))
    throw new AppRefused(`${uri} has the type ${quoteBriefly(mimeType)}, and an app has ${APP_MIME_TYPE}`);
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : decode(blob);
  if (!bytes) throw new AppRefused(`the server answered with neither a text nor valid base64 for ${uri}`);
  if (bytes.length > MAX_PAGE_BYTES)
    throw new AppRefused(
      `${uri} has ${bytes.length} bytes, and the page of an app may have ${MAX_PAGE_BYTES}`,
    );
  return typeof text === 'string' ? text : new TextDecoder().decode(bytes);
}

/** The type of apps, with any other parameters, or `text/html+mcp`, its name in the first drafts. */
function isAppType(mimeType: unknown): boolean {
  if (typeof mimeType !== 'string') return false;
  const [type = '', ...parameters] = mimeType
    .toLowerCase()
    .split(';')
    .map(part => part.trim().replaceAll('"', ''));
  return type === 'text/html+mcp' || (type === 'text/html' && parameters.includes('profile=mcp-app'));
}

function decode(blob: unknown): Uint8Array | undefined {
  try {
    return typeof blob === 'string' ? Uint8Array.from(atob(blob), one => one.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}

/** The metadata of the content, or of the listed resource if the content has none. */
async function metaOf(client: AppClient, uri: string, { _meta: own }: JsonObject): Promise<JsonObject> {
  if (isObject(own) && (own.ui !== undefined || own['openai/widgetCSP'] !== undefined)) return own;
  const listed = await client.resources().catch(() => []);
  return listed.find(resource => resource.uri === uri)?._meta ?? {};
}

/** The policy in the spelling of the Apps SDK of OpenAI. */
function oldCsp(given: unknown): JsonObject {
  if (!isObject(given)) return {};
  const { connect_domains, resource_domains, frame_domains } = given;
  return { connectDomains: connect_domains, resourceDomains: resource_domains, frameDomains: frame_domains };
}
