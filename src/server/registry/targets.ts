import { isObject, type JsonObject } from '../../base/json.js';
import { andThen, isTrueOfAll } from '../../base/settle.js';
import { watchProblem } from '../../protocol/resource-uri.js';
import type { Service } from '../../protocol/service.js';
import { readSubscriptionFilter } from '../../protocol/subscription-filter.js';
import type { Access } from './access.js';
import type { Permissions } from './permissions.js';
import { findResource, type Registries } from './registries.js';
import type { Entry } from './registry.js';

/** A restricted entry that a request uses. */
export interface Target {
  readonly name: string;
  readonly access: Access;
}

/** The restricted entries that a request uses. Malformed and unknown targets are left out. */
export function findTargets(registries: Registries, method: string, params: JsonObject): Target[] {
  const { tools, prompts, resources, templates } = registries;
  const { name, uri, ref, notifications } = params;
  switch (method) {
    case 'tools/call':
      return targetOf(name, known => tools.get(known));
    case 'prompts/get':
      return targetOf(name, known => prompts.get(known));
    case 'resources/read':
      return targetOf(uri, known => findResource(registries, known)?.entry);
    case 'resources/subscribe':
      return typeof uri === 'string' ? watched(registries, [uri]) : [];
    case 'subscriptions/listen': {
      const filter = readSubscriptionFilter(notifications);
      return typeof filter === 'string' ? [] : watched(registries, filter.resourceSubscriptions ?? []);
    }
    case 'completion/complete':
      if (!isObject(ref)) return [];
      return ref.type === 'ref/prompt'
        ? targetOf(ref.name, known => prompts.get(known))
        : targetOf(ref.uri, known => templates.get(known) ?? resources.get(known));
    default:
      return [];
  }
}

/** What transports look up before a call: a hidden entry must look as if it did not exist. */
export function lookups(
  registries: Registries,
  permissions: Permissions,
): Pick<Service, 'parameterHeaders' | 'hasResource' | 'mayWatch'> {
  return {
    parameterHeaders(params, caller) {
      const name = params.name as string;
      const tool = registries.tools.get(name);
      if (!tool || tool.headers.length === 0) return [];
      return andThen(permissions.mayKnow(tool, name, params, caller), isKnown =>
        isKnown ? tool.headers : [],
      );
    },
    hasResource(uri, caller) {
      const entry = findResource(registries, uri)?.entry;
      return entry !== undefined && permissions.mayKnow(entry, uri, { uri }, caller);
    },
    mayWatch(uris, caller, session) {
      const isRefused = (uri: string) => {
        const access = findResource(registries, uri)?.entry.access;
        return access
          ? andThen(permissions.isAllowed(access, uri, {}, caller, session), allowed => !allowed)
          : false;
      };
      return andThen(isTrueOfAll(uris, isRefused), areRefused => !areRefused);
    },
  };
}

/** All scopes that targets need, without those of hidden targets: asking for them would reveal the targets. */
export function scopesOf(targets: readonly Target[]): readonly string[] {
  const [only] = targets;
  if (only && targets.length === 1) return only.access.isHidden ? [] : only.access.scopes;
  return targets.flatMap(({ access }) => (access.isHidden ? [] : access.scopes));
}

/** Whether any of the targets has an `authorize` rule. */
export function haveRules(targets: readonly Target[]): boolean {
  return targets.some(({ access }) => access.authorize !== undefined);
}

/** Whether any registered entry is restricted. */
export function isRestricted(registries: Registries): boolean {
  return Object.values(registries).some(registry =>
    [...registry.entries()].some(({ access }: Entry) => access !== undefined),
  );
}

/** Nothing is looked for if there are so many that the request will be refused anyway. */
function watched(registries: Registries, uris: readonly string[]): Target[] {
  if (watchProblem(uris)) return [];
  return uris.flatMap(uri => targetOf(uri, known => findResource(registries, known)?.entry));
}

function targetOf(name: unknown, find: (name: string) => Entry | undefined): Target[] {
  const access = typeof name === 'string' ? find(name)?.access : undefined;
  return access ? [{ name: name as string, access }] : [];
}
