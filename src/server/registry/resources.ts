import { encodeBase64 } from '../../base/base64.js';
import { clip } from '../../base/clip.js';
import { defined } from '../../base/defined.js';
import { UsageError } from '../../base/errors.js';
import { asJson, isObject, type JsonObject } from '../../base/json.js';
import type { OptionNames } from '../../base/options.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import { type CacheHint, withCacheHint } from '../../protocol/caching.js';
import type { Call } from '../../protocol/call.js';
import type { Annotations, Icon, ResourceContents } from '../../protocol/content.js';
import type { InputRequiredResult } from '../../protocol/input.js';
import { isUri, lengthProblem } from '../../protocol/resource-uri.js';
import type { Resource, ResourceTemplate } from '../../protocol/resources.js';
import { compileTemplate, type TemplateMatcher } from '../../protocol/uri-template/matcher.js';
import type { TemplateVariables } from '../../protocol/uri-template.js';
import { Context, ResourceContext, useContext } from '../context/context.js';
import { ACCESS_OPTIONS, type AccessOptions, compileAccess } from './access.js';
import type { Completers } from './completion.js';
import type { ErrorPolicy } from './error-policy.js';
import { checkCompleters, checkRegistration, invalidReturn } from './registration.js';
import type { Entry, Handle } from './registry.js';
import { asksByHand, contentsProblem, describedProblem, readMeta, toQuestions } from './returned.js';

/** The fields of a resource in a list. */
interface Described {
  name?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** In bytes. Not for templates. */
  size?: number | undefined;
  annotations?: Annotations | undefined;
  icons?: Icon[] | undefined;
  meta?: JsonObject | undefined;
}

/** The options of a resource, or of a template of resources. */
export interface ResourceOptions<U extends string = string> extends AccessOptions, Described {
  /** How long clients may cache the contents. */
  cacheHint?: CacheHint | undefined;
  /**
   * Lists the members of a template, after the registered resources: all of them, or a page with the cursor of the
   * next one. Clients may send any cursor: throw an `McpError` for one that is not valid.
   *
   * @example
   * const list = async () => (await menus.days()).map(day => `menu://${day}`);
   * server.resource('menu://{day}', { list }, ({ day }) => menus.read(day));
   *
   * @example
   * const list = async ({ cursor }: ListContext) => {
   *   const page = await menus.page(cursor);
   *   return { resources: page.days.map(day => ({ uri: `menu://${day}`, title: day })), nextCursor: page.next };
   * };
   * server.resource('menu://{day}', { list }, ({ day }) => menus.read(day));
   */
  list?: ((ctx: ListContext) => ListReturn | Promise<ListReturn>) | undefined;
  /** Suggestions for the variables of a template. */
  complete?: Completers<TemplateVariables<U>> | undefined;
  /**
   * Also accepts values that would leave their place in a path, such as `..` or a slash. Only for handlers that do
   * not turn them into paths.
   */
  allowEscapes?: boolean | undefined;
}

/** The argument of a function that lists members: the request, and the cursor. It cannot ask questions. */
export interface ListContext extends Omit<Context, Asking> {
  /** The `nextCursor` of the page before; undefined for the first page. */
  readonly cursor: string | undefined;
}

type Asking =
  | 'ask'
  | 'elicit'
  | 'elicitUrl'
  | 'sample'
  | 'roots'
  | 'step'
  | 'once'
  | 'answerTo'
  | 'stateAs'
  | 'error';

/** Members of a template: all of them, or a page. A text is a URI. */
export type ListReturn =
  | readonly (string | ListedResource)[]
  | { resources: readonly (string | ListedResource)[]; nextCursor?: string | undefined };

/** A member of a template as it is listed. Its MIME type is that of the template unless it has its own. */
export interface ListedResource extends Described {
  uri: string;
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

/** Contents whose URI and MIME type are those of the resource unless they have their own. */
export type LooseContents =
  | { text: string; uri?: string; mimeType?: string; _meta?: JsonObject }
  | { blob: string | Uint8Array; uri?: string; mimeType?: string; _meta?: JsonObject };

/** A registered resource or template. */
export interface ResourceHandle<U extends string = string> extends Handle {
  replace(options: ResourceOptions<U>, handler: ResourceHandler<U>): void;
  /** Tells subscribed clients that the contents changed. For a template, pass the URI. */
  changed(uri?: string): void;
  /** Tells clients that the members of a template changed. */
  listChanged(): void;
}

export interface ResourceEntry extends Entry {
  readonly listing: Resource | ResourceTemplate;
  readonly template: TemplateMatcher | undefined;
  readonly complete: Completers | undefined;
  /** Lists the members of a template. */
  readonly list: ResourceOptions['list'];
  /** The variables of a URI that this entry serves; undefined if it does not serve it. */
  match(uri: string): JsonObject | undefined;
  read(call: Call, uri: string, variables: JsonObject): Promise<object>;
}

type AnyHandler = (variables: never, ctx: ResourceContext) => unknown;

const RESOURCE_OPTIONS: OptionNames<ResourceOptions> = {
  name: 1,
  title: 1,
  description: 1,
  mimeType: 1,
  size: 1,
  annotations: 1,
  icons: 1,
  meta: 1,
  cacheHint: 1,
  list: 'a function',
  complete: 1,
  allowEscapes: 1,
  ...ACCESS_OPTIONS,
};

/** How a template begins: with a scheme, the start of one, or a variable. */
const SCHEME_OR_VARIABLE = /^(?:[a-z][a-z\d+.-]*[:{]|\{)/i;

export function compileResource(
  uri: string,
  options: ResourceOptions,
  handler: AnyHandler,
  defaultCache: CacheHint,
  report: ErrorPolicy['report'],
): ResourceEntry {
  if (typeof uri !== 'string') {
    throw new UsageError('a resource needs a URI: server.resource("menu://today", { … }, handler)');
  }
  const what = `resource "${uri}"`;
  const usage = `server.resource("${uri}", { … }, handler)`;
  checkRegistration({ what, usage, options, handler, known: RESOURCE_OPTIONS });
  const tooLong = lengthProblem(uri);
  if (tooLong) throw new UsageError(`${what}: ${tooLong}`);
  const template = uri.includes('{') ? compileTemplate(uri).matcher : undefined;
  if (!(template ? SCHEME_OR_VARIABLE.test(uri) : isUri(uri)))
    throw new UsageError(`"${uri}" is not a URI; a resource needs one such as menu://today`);
  checkCompleters(options.complete, template?.variables ?? [], what);
  const wrong = describedProblem(options);
  if (wrong) throw new UsageError(`${what} is a resource ${wrong}`);
  const access = compileAccess(options, what);
  const cache = withCacheHint({}, options.cacheHint ?? defaultCache);
  if (options.list !== undefined) {
    if (!template) throw new UsageError(`${what} is a single resource; only a template can have a list`);
  }
  const { size, ...described } = describeResource(uri, options);
  return {
    listing: template
      ? { uriTemplate: uri, ...described }
      : { uri, ...described, ...(size !== undefined && { size }) },
    access,
    template,
    complete: options.complete,
    list: options.list,
    match(asked) {
      if (!template) return asked === uri ? {} : undefined;
      return template.match(asked, { allowEscapes: options.allowEscapes ?? false });
    },
    async read(call, asked, variables) {
      const handling = { who: `resource "${clip(asked)}"`, report };
      const context = new ResourceContext(call, asked);
      const returned = await useContext(context, handling, () => handler(variables as never, context));
      return andThen(toResult(call, returned, asked, options, cache), result =>
        // A restricted resource must not be stored in a shared cache.
        access && 'cacheScope' in result ? { ...result, cacheScope: 'private' } : result,
      );
    },
  };
}

/** A resource as it is listed, without its URI. */
export function describeResource(uri: string, options: Described): Omit<Resource, 'uri'> {
  const { name, title, description, mimeType, size, annotations, icons, meta } = options;
  return defined({
    name: name ?? title ?? uri,
    title,
    description,
    mimeType,
    size,
    annotations,
    icons,
    _meta: meta,
  });
}

/** The context of a function that lists members. */
export class ListingContext extends Context implements ListContext {
  readonly cursor: string | undefined;

  constructor(call: Call, cursor: string | undefined) {
    super(call);
    this.cursor = cursor;
  }
}

function toResult(
  call: Call,
  returned: unknown,
  uri: string,
  options: ResourceOptions,
  cache: CacheHint,
): Awaitable<object> {
  if (asksByHand(returned)) return toQuestions(call, returned, () => throwInvalidReturn(uri));
  if (isObject(returned) && Array.isArray(returned.contents)) {
    const { contents, cacheHint: own, ...others } = returned;
    const { _meta, ...rest } = asJson(others);
    const meta = _meta === undefined ? {} : { _meta: readMeta(_meta, `resource "${uri}"`) };
    const list = (contents as unknown[]).map(item => toContents(item, uri, options));
    return withCacheHint({ ...rest, ...meta, contents: list }, (own as CacheHint | undefined) ?? cache);
  }
  const list = Array.isArray(returned) ? returned : [returned];
  return withCacheHint({ contents: list.map(item => toContents(item, uri, options)) }, cache);
}

function toContents(value: unknown, uri: string, options: ResourceOptions): ResourceContents {
  const contents = asJson(readContents(value, uri, options));
  const what = `resource "${uri}"`;
  const problem = typeof value === 'string' ? undefined : contentsProblem({ ...contents });
  if (problem) throw new UsageError(`${what} returned contents ${problem}`);
  return contents._meta === undefined ? contents : { ...contents, _meta: readMeta(contents._meta, what) };
}

function readContents(value: unknown, uri: string, options: ResourceOptions): ResourceContents {
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
  return throwInvalidReturn(uri);
}

function throwInvalidReturn(uri: string): never {
  throw invalidReturn(
    `resource "${uri}"`,
    'content',
    'a string, a Uint8Array, { text } or { blob }, or a list of these',
  );
}
