import type { Call, Result } from '../protocol/call.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import { invalidParams, methodNotFound, resourceNotFound } from '../protocol/errors.js';
import type { Awaitable } from '../protocol/settle.js';
import { complete, readCompletionRequest } from './completion.js';
import type { PromptEntry } from './prompts.js';
import type { Registry } from './registry.js';
import type { ResourceEntry } from './resources.js';
import type { ToolEntry } from './tools.js';

export interface Registries {
  readonly tools: Registry<ToolEntry>;
  readonly prompts: Registry<PromptEntry>;
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<ResourceEntry>;
}

type Handler = (call: Call) => Awaitable<Result>;

/** Routes a call to what is registered. `methods` are the author's own. */
export function createDispatch(
  registries: Registries,
  methods: ReadonlyMap<string, Handler>,
  capabilities: () => ServerCapabilities,
): Handler {
  const { tools, prompts, resources, templates } = registries;
  const routes = new Map<string, { needs: keyof ServerCapabilities; handle: Handler }>([
    ['tools/list', { needs: 'tools', handle: call => tools.page(call.params.cursor) }],
    ['tools/call', { needs: 'tools', handle: call => find(tools, call.params.name, 'tool').run(call) }],
    ['prompts/list', { needs: 'prompts', handle: call => prompts.page(call.params.cursor) }],
    [
      'prompts/get',
      { needs: 'prompts', handle: call => find(prompts, call.params.name, 'prompt').get(call) },
    ],
    ['resources/list', { needs: 'resources', handle: call => resources.page(call.params.cursor) }],
    ['resources/templates/list', { needs: 'resources', handle: call => templates.page(call.params.cursor) }],
    ['resources/read', { needs: 'resources', handle: call => readResource(registries, call) }],
    ['completion/complete', { needs: 'completions', handle: call => completeArgument(registries, call) }],
  ]);

  return call => {
    const route = routes.get(call.method);
    if (route && capabilities()[route.needs]) return route.handle(call);
    const own = methods.get(call.method);
    if (own) return own(call);
    throw methodNotFound(call.method);
  };
}

function find<E extends ToolEntry | PromptEntry>(registry: Registry<E>, name: unknown, kind: string): E {
  if (typeof name !== 'string') throw invalidParams('name must be a string');
  const entry = registry.get(name);
  if (!entry) throw invalidParams(`unknown ${kind}: ${name}`);
  return entry;
}

function readResource({ resources, templates }: Registries, call: Call): Promise<Result> {
  const { uri } = call.params;
  if (typeof uri !== 'string') throw invalidParams('uri must be a string');
  const exact = resources.get(uri);
  if (exact) return exact.read(call, uri, {});
  for (const template of templates.entries()) {
    const variables = template.match(uri);
    if (variables) return template.read(call, uri, variables);
  }
  throw resourceNotFound(uri);
}

function completeArgument({ prompts, resources, templates }: Registries, call: Call): Promise<Result> {
  const request = readCompletionRequest(call.params);
  if (request.ref.type === 'ref/prompt') {
    return complete(find(prompts, request.ref.name, 'prompt').complete, request);
  }
  const { uri } = request.ref;
  const entry = templates.get(uri) ?? resources.get(uri);
  if (!entry) throw invalidParams(`unknown resource template: ${uri}`);
  return complete(entry.complete, request);
}
