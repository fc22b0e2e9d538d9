import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { APP_MIME_TYPE, APPS_ID } from '../../protocol/apps.js';
import type { Extension } from '../extension.js';
import { extension } from '../extensions/define.js';
import type { ResourceHandle } from '../registry/resources.js';
import type { Server } from '../server.js';
import type { AppOptions } from './options.js';
import type { Page } from './page.js';

/** A page with what is said about it. */
export interface Shown {
  readonly page: Page;
  readonly options: AppOptions;
  /** Its `_meta.ui`. */
  readonly meta: JsonObject;
}

/** A page that a server serves. */
interface Served {
  readonly shown: Shown;
  /** The tool that brought it. */
  readonly tool: string;
  readonly handle: ResourceHandle;
  /** The page calls it, but holds it weakly: it must last as long as the server. */
  readonly changed: () => void;
}

/** The pages of each server, by URI. */
const SERVED = new WeakMap<Server, Map<string, Served>>();

/** Makes the page of a tool a resource of its server, unless it is one already. Returns its URI. */
export function addPage(server: Server, tool: string, shown: Shown): string {
  const pages = SERVED.get(server) ?? new Map<string, Served>();
  SERVED.set(server, pages);
  for (const [uri, other] of pages) if (other.shown === shown) return uri;
  const uri = shown.options.uri ?? `ui://${encodeURIComponent(tool)}/view.html`;
  const before = pages.get(uri);
  if (before && before.tool !== tool)
    throw new UsageError(
      `the tools "${before.tool}" and "${tool}" have different apps with the URI ${uri}: give one of them another uri, or both the same app`,
    );
  // The tool is replaced, or registered anew.
  before?.handle.remove();
  const changed = () => {
    if (pages.get(uri)?.shown === shown) server.resourceChanged(uri);
  };
  pages.set(uri, { shown, tool, handle: addResource(server, uri, shown), changed });
  shown.page.watch?.(changed);
  if (before) changed();
  return uri;
}

function addResource(server: Server, uri: string, { page, options, meta }: Shown): ResourceHandle {
  const { uri: _, csp, permissions, domain, prefersBorder, ...rest } = options;
  const _meta = Object.keys(meta).length > 0 ? { ui: meta } : undefined;
  return server.resource(
    uri,
    { ...rest, mimeType: APP_MIME_TYPE, ...(_meta && { meta: _meta }) },
    async () => ({ text: await page.read(), ...(_meta && { _meta }) }),
  );
}

const APPS = extension({ id: APPS_ID });

/** Lets a server tell clients that it has apps. */
export function declareApps(options: { extensions?: readonly Extension[] }): void {
  const { extensions = [] } = options;
  if (!extensions.some(({ id }) => id === APPS_ID)) options.extensions = [...extensions, APPS];
}
