import { defined } from '../../base/defined.js';
import { UsageError } from '../../base/errors.js';
import { type JsonObject, quoteBriefly } from '../../base/json.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import type { AppCsp, AppPermission } from '../../protocol/apps.js';
import type { CacheHint } from '../../protocol/caching.js';
import { lengthProblem } from '../../protocol/resource-uri.js';
import { ACCESS_OPTIONS, type AccessOptions } from '../registry/access.js';

/** The options of `app`. */
export interface AppOptions extends AccessOptions {
  /**
   * The URI of the page: `ui://<tool>/view.html` by default, with the name of the first tool that has the app. Hosts keep
   * it with old conversations, so it should stay the same.
   */
  uri?: string | undefined;
  /** The name of the page in the list of resources: its URI by default. */
  name?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  /** The origins that the page may use. Without it, hosts let it use none. */
  csp?: AppCsp | undefined;
  /** What the page asks the browser for. Hosts may refuse it, so the page must do without. */
  permissions?: readonly AppPermission[] | undefined;
  /** An origin of its own for the page, in the form that the host asks for. Hosts choose one if it is not set. */
  domain?: string | undefined;
  /** Whether the host should draw a border and a background. The host decides if it is not set. */
  prefersBorder?: boolean | undefined;
  /** How long clients may cache the page: as the server's `cacheHints` say by default. */
  cacheHint?: CacheHint | undefined;
}

export const APP_OPTIONS: OptionNames<AppOptions> = {
  uri: 1,
  name: 1,
  title: 1,
  description: 1,
  csp: 1,
  permissions: 1,
  domain: 1,
  prefersBorder: 1,
  cacheHint: 1,
  ...ACCESS_OPTIONS,
};

const CSP: OptionNames<AppCsp> = {
  connectDomains: 1,
  resourceDomains: 1,
  frameDomains: 1,
  baseUriDomains: 1,
};

const PERMISSIONS: Readonly<Record<AppPermission, 1>> = {
  camera: 1,
  microphone: 1,
  geolocation: 1,
  clipboardWrite: 1,
};

/** A host name of a policy: `api.example.com`, `*.example.com`, `localhost`, `[::1]`. */
const HOST = String.raw`(?:(?:\*\.)?(?:[a-z\d_](?:[a-z\d_-]*[a-z\d_])?\.)*[a-z\d](?:[a-z\d-]*[a-z\d])?|\[[\da-f:.]+\])`;
/**
 * An origin and nothing else: hosts put it into a policy as it is, where a space or a semicolon would end it. Pages are shown
 * on encrypted origins, which reach others only if they are encrypted or on the same machine.
 */
const ORIGIN = new RegExp(
  `^(?:(?:https|wss)://${HOST}|(?:http|ws)://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]))(?::\\d{1,5})?$`,
  'i',
);
/** Hosts write the domain in forms of their own: a name, or an origin. */
const DOMAIN = new RegExp(`^(?:https?://)?${HOST}(?::\\d{1,5})?$`, 'i');

/** Throws if the options are wrong. Returns what hosts read about the page: its `_meta.ui`. */
export function readOptions(options: AppOptions): JsonObject {
  checkOptions(options, APP_OPTIONS, 'an app');
  const { uri, csp, permissions, domain, prefersBorder } = options;
  if (uri !== undefined) checkUri(uri);
  if (domain !== undefined && !(typeof domain === 'string' && DOMAIN.test(domain)))
    throw new UsageError(
      `the domain of an app must be a host name or an origin, not ${quoteBriefly(domain)}`,
    );
  if (prefersBorder !== undefined && typeof prefersBorder !== 'boolean')
    throw new UsageError(`prefersBorder of an app must be true or false, not ${quoteBriefly(prefersBorder)}`);
  return defined({
    csp: csp && readCsp(csp),
    permissions: permissions && readPermissions(permissions),
    domain,
    prefersBorder,
  });
}

function checkUri(uri: unknown): void {
  const isText = typeof uri === 'string';
  if (!isText || !/^ui:\/\/[^{}]/.test(uri))
    throw new UsageError(
      `the uri of an app must begin with "ui://", as ui://chart/view.html, not ${quoteBriefly(uri)}`,
    );
  const tooLong = lengthProblem(uri);
  if (tooLong) throw new UsageError(`the uri of an app: ${tooLong}`);
}

function readCsp(csp: AppCsp): JsonObject {
  checkOptions(csp, CSP, 'the csp of an app');
  for (const [name, origins] of Object.entries(csp)) {
    if (origins === undefined) continue;
    if (!Array.isArray(origins))
      throw new UsageError(`${name} in the csp of an app must be a list: ["https://api.example.com"]`);
    const wrong = origins.find(origin => typeof origin !== 'string' || !ORIGIN.test(origin));
    if (wrong !== undefined || origins.includes(undefined))
      throw new UsageError(
        `${name} in the csp of an app must have origins, as https://api.example.com, https://*.example.com or http://localhost:5173, not ${quoteBriefly(wrong)}`,
      );
  }
  return defined({ ...csp }) as JsonObject;
}

function readPermissions(permissions: readonly AppPermission[]): JsonObject {
  if (!Array.isArray(permissions))
    throw new UsageError('the permissions of an app must be a list: ["camera"]');
  const unknown = permissions.find(name => !Object.hasOwn(PERMISSIONS, name));
  if (unknown !== undefined)
    throw new UsageError(
      `${quoteBriefly(unknown)} is no permission of an app; it can ask for ${Object.keys(PERMISSIONS).join(', ')}`,
    );
  return Object.fromEntries(permissions.map(name => [name, {}]));
}
