import { clip } from '../../base/clip.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { Call, Result } from '../../protocol/call.js';
import { invalidParams, methodNotFound, resourceNotFound } from '../../protocol/errors.js';
import { readUri } from '../../protocol/resource-uri.js';
import { schemasRead } from '../schema/schema.js';
import type { ErrorPolicy } from './error-policy.js';
import type { Permissions } from './permissions.js';
import type { PromptEntry } from './prompts.js';
import { findResource, type Registries } from './registries.js';
import type { Entry, Registry } from './registry.js';
import type { ListSource } from './resource-list.js';
import { describeResource, ListingContext } from './resources.js';
import type { ToolEntry } from './tools.js';

/** The beginning of the cursors that `resource-list.ts` writes. */
const MEMBERS = btoa('%5B%22members%22%2C').slice(0, -4);

type Handler = (call: Call) => Awaitable<Result>;

/** Routes a call to the registered entries, or to the author's own `methods`. Its feature has been declared. */
export function createDispatch(
  registries: Registries,
  methods: ReadonlyMap<string, Handler>,
  permissions: Permissions,
  report: ErrorPolicy['report'],
): Handler {
  const { tools, prompts, templates } = registries;
  const list = (registry: Registry<Entry>, call: Call) =>
    registry.page(call.params.cursor, (entry, name) => permissions.mayList(entry, name, call));
  const source: ListSource = {
    registries,
    permissions,
    report,
    find: findResource,
    describe: describeResource,
    openContext: (call, cursor) => new ListingContext(call, cursor),
  };
  const hasLists = once(templates, () => [...templates.entries()].some(entry => entry.list));
  const listResources: Handler = call =>
    hasLists() || isOfMembers(call.params.cursor)
      ? andThen(call.asking.get(), ({ pageWithMembers }) => pageWithMembers(source, call))
      : list(registries.resources, call);
  const routes = new Map<string, Handler>([
    // A tool whose schema is refused is removed, and must not be listed before.
    ['tools/list', call => andThen(schemasRead(), () => list(tools, call))],
    ['tools/call', call => callTool(tools, permissions, call)],
    ['prompts/list', call => list(prompts, call)],
    ['prompts/get', call => getPrompt(prompts, permissions, call)],
    ['resources/list', listResources],
    ['resources/templates/list', call => list(templates, call)],
    ['resources/read', call => readResource(registries, permissions, call)],
    [
      'completion/complete',
      call => andThen(call.asking.get(), ({ complete }) => complete(registries, permissions, call)),
    ],
  ]);

  return call => {
    const handle = routes.get(call.method) ?? methods.get(call.method);
    if (handle) return handle(call);
    throw methodNotFound(call.method);
  };
}

/** Computes a value again only after a registry has changed. */
function once<T>(registry: Registry<Entry>, compute: () => T): () => T {
  let version: number | undefined;
  let value: T;
  return () => {
    if (version !== registry.version) value = compute();
    version = registry.version;
    return value;
  };
}

/** Whether a cursor continues the members of a template, which may be gone. */
function isOfMembers(cursor: unknown): boolean {
  return typeof cursor === 'string' && cursor.startsWith(MEMBERS);
}

function callTool(tools: Registry<ToolEntry>, permissions: Permissions, call: Call): Awaitable<Result> {
  const name = readName(call.params.name);
  const tool = tools.get(name);
  const unknown = () => invalidParams(`unknown tool: ${clip(name)}`);
  if (!tool) throw unknown();
  return permissions.use(tool, name, call, unknown, () => tool.run(call));
}

function getPrompt(prompts: Registry<PromptEntry>, permissions: Permissions, call: Call): Awaitable<Result> {
  const name = readName(call.params.name);
  const prompt = prompts.get(name);
  const unknown = () => invalidParams(`unknown prompt: ${clip(name)}`);
  if (!prompt) throw unknown();
  return permissions.use(prompt, name, call, unknown, () => prompt.get(call));
}

function readResource(registries: Registries, permissions: Permissions, call: Call): Awaitable<Result> {
  const uri = readUri(call.params.uri);
  const found = findResource(registries, uri);
  const unknown = () => resourceNotFound(uri);
  if (!found) throw unknown();
  const { entry, variables } = found;
  return permissions.use(entry, uri, call, unknown, () => entry.read(call, uri, variables));
}

function readName(name: unknown): string {
  if (typeof name !== 'string') throw invalidParams('name must be a string');
  return name;
}
