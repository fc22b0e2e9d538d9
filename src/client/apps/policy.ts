import { isObject, quoteBriefly } from '../../base/json.js';
import type { AppCsp, AppPermission } from '../../protocol/apps.js';
import { MAX_SOURCES } from './limits.js';

/** What an app may use of the browser, as its server asks for it. */
export type AppPermissions = Partial<Record<AppPermission, object>>;

const LISTS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;

/** The features of browsers that permissions stand for. */
const FEATURES: Readonly<Record<keyof AppPermissions, string>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
};

/** A host with its scheme; never a scheme alone, a keyword, or anything that would begin another directive. */
const SOURCE = /^(?:https|wss):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?(?:\/[\w.~@%/-]*)?$/i;
/** Without encryption only to this machine, as during development. */
const LOCAL = /^(?:http|ws):\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:\/[\w.~@%/-]*)?$/i;

/** Reads the hosts that were declared. What is not a host is left out and told. */
export function readCsp(given: unknown, warn: (message: string) => void = () => {}): AppCsp {
  const csp: AppCsp = {};
  for (const name of LISTS) {
    const list = isObject(given) ? given[name] : undefined;
    if (!Array.isArray(list)) continue;
    for (const source of list.filter(one => !isSource(one)).slice(0, MAX_SOURCES))
      warn(
        `the app may not reach ${quoteBriefly(source)}: ${name} must name hosts, such as https://a.example`,
      );
    const sources = list.filter(isSource).slice(0, MAX_SOURCES);
    if (sources.length > 0) csp[name] = sources;
  }
  return csp;
}

/** Reads the permissions that were asked for. */
export function readPermissions(given: unknown): AppPermissions {
  const names = Object.keys(FEATURES) as (keyof AppPermissions)[];
  return Object.fromEntries(
    names.filter(name => isObject(given) && isObject(given[name])).map(name => [name, {}]),
  );
}

/** The value of the attribute `allow` of a frame. */
export function allowAttribute(permissions: AppPermissions): string {
  return (Object.keys(FEATURES) as (keyof AppPermissions)[])
    .filter(name => permissions[name])
    .map(name => FEATURES[name])
    .join('; ');
}

/**
 * The content security policy of an app. Nothing but inline scripts,
 * styles and data is allowed unless the app declared it, so that it can send nothing to others.
 */
export function contentSecurityPolicy(csp: AppCsp): string {
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = csp;
  return [
    "default-src 'none'",
    directive('script-src', "'unsafe-inline'", ...resourceDomains),
    directive('style-src', "'unsafe-inline'", ...resourceDomains),
    directive('img-src', 'data:', 'blob:', ...resourceDomains),
    directive('media-src', 'data:', 'blob:', ...resourceDomains),
    directive('font-src', 'data:', ...resourceDomains),
    directive('connect-src', ...connectDomains),
    directive('frame-src', ...frameDomains),
    directive('base-uri', ...baseUriDomains),
    "object-src 'none'",
    "form-action 'none'",
  ].join('; ');
}

function directive(name: string, ...sources: string[]): string {
  return `${name} ${sources.length > 0 ? sources.join(' ') : "'none'"}`;
}

function isSource(source: unknown): source is string {
  return typeof source === 'string' && source.length <= 256 && (SOURCE.test(source) || LOCAL.test(source));
}
