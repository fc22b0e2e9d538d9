import { encodeBase64 } from '../../base/base64.js';
import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { type CacheHint, withCacheHint } from '../../protocol/caching.js';
import type { Call } from '../../protocol/call.js';
import type { Annotations, Icon, ResourceContents } from '../../protocol/content.js';
import type { InputRequiredResult } from '../../protocol/input.js';
import type { Resource, ResourceTemplate } from '../../protocol/resources.js';
import { parseTemplate, type TemplateVariables, type UriTemplate } from '../../protocol/uri-template.js';
import { ResourceContext } from '../context/context.js';
import { readQuestions } from '../context/questions.js';
import { type AccessOptions, compileAccess } from './access.js';
import type { Completers } from './completion.js';
import type { Entry, Handle } from './registry.js';

/** How a resource, or a template of resources, describes itself. */
export interface ResourceOptions<U extends string = string> extends AccessOptions {
  name?: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** In bytes. Not for templates. */
  size?: number;
  annotations?: Annotations;
  icons?: Icon[];
  meta?: JsonObject;
  /** How long clients may keep what was read. */
  cacheHint?: CacheHint;
  /** Suggestions for the variables of a template. */
  complete?: Completers<TemplateVariables<U>>;
  /**
   * Hands over values that would leave their place in a path, such as `..` or a slash. Only for handlers that
   * do not turn them into paths.
   */
  allowEscapes?: boolean;
}

/** Reads a resource. The first argument holds the variables of a template. */
export type ResourceHandler<U extends string> = (
  variables: TemplateVariables<U>,
  ctx: ResourceContext,
) => ResourceReturn | Promise<ResourceReturn>;

/** Text, bytes, contents, a list of contents, or a full result. */
export type ResourceReturn =
  | string
  | Uint8Array
  | LooseContents
  | readonly LooseContents[]
  | { contents: readonly LooseContents[]; cacheHint?: CacheHint; _meta?: JsonObject }
  | InputRequiredResult;

/** Contents whose URI and type are those of the resource unless they say otherwise. */
export type LooseContents =
  | { text: string; uri?: string; mimeType?: string; _meta?: JsonObject }
  | { blob: string | Uint8Array; uri?: string; mimeType?: string; _meta?: JsonObject };

/** A registered resource or template. */
export interface ResourceHandle<U extends string = string> extends Handle {
  replace(options: ResourceOptions<U>, handler: ResourceHandler<U>): void;
  /** Tells those who subscribed that the contents changed. For a template, name the URI. */
  changed(uri?: string): void;
}

export interface ResourceEntry extends Entry {
  readonly listing: Resource | ResourceTemplate;
  readonly template: UriTemplate | undefined;
  readonly complete: Completers | undefined;
  /** The variables of a URI that this entry serves; undefined if it does not. */
  match(uri: string): JsonObject | undefined;
  read(call: Call, uri: string, variables: JsonObject): Promise<object>;
}

type AnyHandler = (variables: never, ctx: ResourceContext) => unknown;

export function compileResource(
  uri: string,
  options: ResourceOptions,
  handler: AnyHandler,
  defaultCache: CacheHint,
): ResourceEntry {
  const template = uri.includes('{') ? parseTemplate(uri) : undefined;
  if (!template && !isUri(uri))
    throw new UsageError(`"${uri}" is not a URI; a resource needs one such as menu://today`);
  const access = compileAccess(options, `resource "${uri}"`);
  const cache = withCacheHint({}, options.cacheHint ?? defaultCache);
  const described = {
    name: options.name ?? options.title ?? uri,
    ...(options.title !== undefined && { title: options.title }),
    ...(options.description !== undefined && { description: options.description }),
    ...(options.mimeType !== undefined && { mimeType: options.mimeType }),
    ...(options.annotations && { annotations: options.annotations }),
    ...(options.icons && { icons: options.icons }),
    ...(options.meta && { _meta: options.meta }),
  };
  return {
    listing: template
      ? { uriTemplate: uri, ...described }
      : { uri, ...described, ...(options.size !== undefined && { size: options.size }) },
    access,
    template,
    complete: options.complete,
    match(asked) {
      if (!template) return asked === uri ? {} : undefined;
      return template.match(asked, { allowEscapes: options.allowEscapes ?? false });
    },
    async read(call, asked, variables) {
      const returned = await handler(variables as never, new ResourceContext(call, asked));
      const result = toResult(call, returned, asked, options, cache);
      // What not everybody may read is not for caches that everybody shares.
      return access && 'cacheScope' in result ? { ...result, cacheScope: 'private' } : result;
    },
  };
}

function toResult(
  call: Call,
  returned: unknown,
  uri: string,
  options: ResourceOptions,
  cache: CacheHint,
): object {
  if (isObject(returned) && returned.resultType === 'input_required') {
    return readQuestions(call, returned) ?? nonsense(uri);
  }
  if (isObject(returned) && Array.isArray(returned.contents)) {
    const { contents, cacheHint: own, ...rest } = returned;
    const list = (contents as unknown[]).map(item => toContents(item, uri, options));
    return withCacheHint({ ...rest, contents: list }, (own as CacheHint | undefined) ?? cache);
  }
  const list = Array.isArray(returned) ? returned : [returned];
  return withCacheHint({ contents: list.map(item => toContents(item, uri, options)) }, cache);
}

function toContents(value: unknown, uri: string, options: ResourceOptions): ResourceContents {
  const mimeType = options.mimeType === undefined ? {} : { mimeType: options.mimeType };
  if (typeof value === 'string') return { uri, ...mimeType, text: value };
  if (value instanceof Uint8Array) return { uri, ...mimeType, blob: encodeBase64(value) };
  if (isObject(value) && typeof value.text === 'string')
    return { uri, ...mimeType, ...value, text: value.text };
  if (isObject(value) && typeof value.blob === 'string')
    return { uri, ...mimeType, ...value, blob: value.blob };
  if (isObject(value) && value.blob instanceof Uint8Array) {
    return { uri, ...mimeType, ...value, blob: encodeBase64(value.blob) };
  }
  return nonsense(uri);
}

function nonsense(uri: string): never {
  throw new UsageError(
    `resource "${uri}" returned something that is no content: return a string, a Uint8Array, ` +
      '{ text } or { blob }, or a list of these',
  );
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text);
}
