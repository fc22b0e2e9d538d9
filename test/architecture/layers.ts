import { folderOf, importsOf, type Source } from './sources.js';

interface Layer {
  /** What it may import from, beside itself: paths under `src/` of files or folders. */
  may: readonly string[];
  /** What to do instead of another import. */
  instead: string;
}

const GROUND = ['base', 'protocol'];
const WORDS = [...GROUND, 'jsonrpc', 'revisions'];
/** What authors use. */
const CORE = ['server/schema', 'server/context', 'server/registry'];
/** What counts the memory that is held for clients. */
const LEDGER = ['server/limits.ts', 'server/held-total.ts', 'server/ledger.ts', 'server/charge.ts'];
/** What both eras need to answer a call. */
const ERA_TOOLS = [
  ...LEDGER,
  'server/answer.ts',
  'server/channel.ts',
  'server/closing.ts',
  'server/local-only.ts',
  'server/take-notification.ts',
  'server/paced-notices.ts',
  'server/resource-notice.ts',
  'server/running-calls.ts',
];
/** The part of the server that is loaded on demand. Doors pass it on: what needs it knows only the types of its functions. */
const ON_DEMAND = [
  'server/loading.ts',
  'server/membership-on-demand.ts',
  'server/seal-on-demand.ts',
  'server/single-use-on-demand.ts',
];
/** What turns requests into calls. */
const ERAS = ['server/legacy', 'server/modern', 'server/era.ts', ...ERA_TOOLS];
/** What both halves of node/ use. */
const NODE = ['node/lines.ts', 'node/pieces.ts', 'node/utf8.ts', 'node/node-version.ts'];
const SHARED =
  'A server and a client share base, protocol, jsonrpc, revisions, json-schema and skills, and nothing else: move what both need there.';
const AUTHOR =
  'It never sees an era, a session or a transport: read what is needed from the Call, or add it to protocol/call.ts.';

const AS_USERS =
  'It uses the SDK as users do: import tenon, tenon/client or another subpath, and mend the API where that is awkward.';

/** Which files and folders each part of the project may import from. The longest path that fits decides. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  base: { may: [], instead: 'base has no MCP in it: take what is needed as an argument.' },
  protocol: { may: ['base'], instead: 'protocol is the vocabulary and names no revision: see revisions/.' },
  jsonrpc: { may: GROUND, instead: 'jsonrpc knows no revision: let its caller decide.' },
  revisions: {
    may: [...GROUND, 'jsonrpc'],
    instead: 'A revision is data: let legacy/ or modern/ do the work.',
  },

  vocabulary: {
    may: WORDS,
    instead: 'It only exports what users need of the common ground: no server, no client.',
  },
  'json-schema': {
    may: ['base'],
    instead:
      'The validator knows JSON and JSON Schema, no protocol: let server/schema or the client say what it checks.',
  },
  skills: {
    may: GROUND,
    instead: 'It knows the format of skills and their entries: the wings serve, fetch and store them.',
  },

  server: { may: WORDS, instead: SHARED },
  'server/schema': { may: [...GROUND, 'json-schema'], instead: AUTHOR },
  'server/context': { may: [...GROUND, 'server/schema'], instead: AUTHOR },
  'server/registry': { may: [...GROUND, 'server/schema', 'server/context'], instead: AUTHOR },
  'server/seal': {
    may: [...GROUND, 'server/limits.ts'],
    instead: 'A seal knows no era: pass the words that it binds as an argument.',
  },
  'server/index.ts': {
    may: [
      ...GROUND,
      ...CORE,
      'server/server.ts',
      'server/server-options.ts',
      'server/replaceable.ts',
      'server/extension.ts',
      'server/middleware.ts',
      'server/store-full.ts',
    ],
    instead: 'The main entry is the server and the vocabulary: doors have subpaths of their own.',
  },
  'server/rounds': {
    may: [...GROUND, 'server/limits.ts'],
    instead: 'A round knows questions, steps and answers: let modern/ or tasks/ say where they are kept.',
  },
  'server/legacy': {
    may: [...WORDS, ...ERA_TOOLS],
    instead: 'An era knows no transport and not the other era: pass what it needs as an argument.',
  },
  'server/modern': {
    may: [...WORDS, ...ERA_TOOLS, 'server/rounds', 'server/seal'],
    instead: 'An era knows no transport and not the other era: pass what it needs as an argument.',
  },
  'server/server.ts': {
    may: [
      ...GROUND,
      ...CORE,
      'server/server-options.ts',
      'server/reports.ts',
      'server/extension.ts',
      'server/middleware.ts',
      'server/memory-pipe.ts',
    ],
    instead: AUTHOR,
  },
  'server/server-options.ts': { may: [...GROUND, ...CORE, 'server/extension.ts'], instead: AUTHOR },
  'server/reports.ts': { may: GROUND, instead: AUTHOR },
  'server/middleware.ts': { may: GROUND, instead: AUTHOR },
  'server/run-middleware.ts': {
    may: [...GROUND, 'server/middleware.ts', 'server/overlay.ts', 'server/registry/result-check.ts'],
    instead: AUTHOR,
  },
  'server/extension.ts': { may: [...GROUND, 'server/middleware.ts'], instead: AUTHOR },
  'server/extensions': {
    may: [...WORDS, ...CORE, 'server/extension.ts', 'server/middleware.ts', 'server/server.ts'],
    instead: AUTHOR,
  },
  'server/cluster': {
    may: [...GROUND, 'server/held-total.ts', 'server/limits.ts', 'server/store-full.ts'],
    instead: 'It knows values, messages and logs, no protocol: let the doors say what they share.',
  },
  'server/nodes': {
    may: [...WORDS, 'server/cluster', 'server/limits.ts'],
    instead: 'It carries messages and state between nodes: let the doors say what they mean.',
  },
  'server/skills': {
    may: [
      ...GROUND,
      'skills',
      'server/registry',
      'server/server.ts',
      'server/extension.ts',
      'server/extensions',
    ],
    instead: 'It stands on the contract of extensions, as extensions of others do.',
  },
  'server/apps': {
    may: [
      ...GROUND,
      'revisions',
      'server/registry',
      'server/server.ts',
      'server/extension.ts',
      'server/extensions',
    ],
    instead: 'It registers resources and declares an extension, as authors do.',
  },
  'server/tasks': {
    may: [
      ...WORDS,
      ...LEDGER,
      'server/context',
      'server/cluster',
      'server/extension.ts',
      'server/extensions',
      'server/loading.ts',
      'server/local-only.ts',
      'server/middleware.ts',
      'server/node-settings.ts',
      'server/overlay.ts',
      'server/rounds',
      'server/server.ts',
      'server/store-full.ts',
    ],
    instead: 'It knows calls, their rounds, the ledger and the cluster, and no transport.',
  },
  'server/http': {
    may: [...WORDS, ...ERAS, ...ON_DEMAND, 'server/seal', 'server/pipe.ts', 'server/cluster', 'server/nodes'],
    instead: 'A door knows no other door and no runtime: node/server turns what Node has into an Exchange.',
  },
  'server/auth': {
    may: [...GROUND, 'server/http', 'server/limits.ts', 'server/single-use.ts'],
    instead: 'Protection sees exchanges and tokens only: pass what it needs as an argument.',
  },

  client: { may: [...WORDS, 'json-schema'], instead: SHARED },
  'client/skills': {
    may: [...GROUND, 'skills', 'client'],
    instead: 'It uses the client as hosts do: requests, and what its options have.',
  },
  'client/tasks': {
    may: [...GROUND, 'client'],
    instead: 'It stands on the contract of extensions, as extensions of others do.',
  },
  'client/apps': {
    may: [...GROUND, 'jsonrpc', 'client'],
    instead: 'It uses the client as hosts do, and knows a frame by what it needs of it: no DOM types.',
  },
  'client/legacy': {
    may: [...WORDS, 'client'],
    instead: 'A link knows wires, not transports: let client/negotiate.ts choose.',
  },
  'client/modern': {
    may: [...WORDS, 'client'],
    instead: 'A link knows wires, not transports: let client/negotiate.ts choose.',
  },
  'client/http': {
    may: [...WORDS, 'client/wire.ts', 'client/limits.ts'],
    instead: 'A wire carries messages and knows no link: pass what it needs as an argument.',
  },
  'client/auth': {
    may: [...GROUND, 'client/http'],
    instead: 'Authorization sees HTTP requests and responses only: pass what it needs as an argument.',
  },
  'client/models': {
    may: [...GROUND, 'client/call-options.ts'],
    instead:
      'It sees the tools of a client and the calls of a model only: pass what it needs as an argument.',
  },

  node: { may: [], instead: 'What both halves of node/ need belongs beside them, as lines.ts does.' },
  'node/index.ts': { may: ['base', 'node', 'protocol'], instead: 'An index only exports.' },
  'node/lines.ts': { may: ['base', 'node/pieces.ts'], instead: SHARED },
  'node/node-version.ts': { may: ['base'], instead: 'It is loaded before everything else.' },
  'node/server': { may: [...WORDS, 'skills', 'server', ...NODE], instead: SHARED },
  'node/server/redis': {
    may: ['base', 'node/node-version.ts', 'server/cluster'],
    instead: 'A store knows values, messages and logs, no protocol: let the doors say what they share.',
  },
  'node/server/postgres': {
    may: ['base', 'node/node-version.ts', 'server/cluster'],
    instead: 'A store knows values, messages and logs, no protocol: let the doors say what they share.',
  },
  'node/server/bullmq': {
    may: ['base', 'node/node-version.ts', 'server/cluster', 'server/tasks/engine.ts'],
    instead: 'An engine knows the ids of tasks only: let server/tasks do the rest.',
  },
  'node/client': { may: [...WORDS, 'skills', 'client', ...NODE], instead: SHARED },
  middleware: {
    may: ['base', 'server/index.ts', 'client/index.ts'],
    instead: 'It uses the contract of middleware as users do: import what the index of a subpath exports.',
  },
  testing: {
    may: [...WORDS, 'server/http/index.ts', 'client/index.ts'],
    instead: 'It uses both wings as users do: import what the index of a subpath exports.',
  },

  cli: { may: ['playground'], instead: AS_USERS },
  playground: { may: [], instead: AS_USERS },
};

/** Imports against the arrows. Type-only imports count: a type is knowledge, too. */
export function importsAgainstArrows(sources: readonly Source[]): string[] {
  return sources.flatMap(source => {
    const own = layerOf(source.path);
    if (!own) return [`${source.path}: give the folder ${folderOf(source.path)} a place in LAYERS first`];
    const { may, instead } = LAYERS[own] as Layer;
    return importsOf(source)
      .map(({ target }) => target)
      .filter(target => target.startsWith('src/'))
      .filter(target => !isAllowed(own, may, target))
      .map(target => `${source.path} must not import ${target}. ${instead}`);
  });
}

/** Inside a layer everything goes, except into a part of it that is a layer of its own and not named. */
function isAllowed(own: string, may: readonly string[], target: string): boolean {
  return [own, ...may].some(place => isWithin(target, place));
}

function isWithin(path: string, place: string): boolean {
  return path === `src/${place}` || path.startsWith(`src/${place}/`);
}

function layerOf(path: string): string | undefined {
  const fitting = Object.keys(LAYERS).filter(place => isWithin(path, place));
  return fitting.sort((a, b) => b.length - a.length)[0];
}

/** All files that are loaded with a file: what it imports, what that imports, and so on, but nothing by `import()`. */
export function loadedWith(entry: string, sources: readonly Source[]): ReadonlySet<string> {
  const byPath = new Map(sources.map(source => [source.path, source]));
  const loaded = new Set([entry]);
  for (const path of loaded) {
    const source = byPath.get(path);
    for (const { target, isValue, isDynamic } of source ? importsOf(source) : []) {
      if (isValue && !isDynamic) loaded.add(target);
    }
  }
  return loaded;
}

/**
 * Cycles of imports between files. Only what runs when a file is loaded counts: not `import type`, and not
 * `import()`. But `import { type X }` does, because the compiler leaves `import {}` of it.
 */
export function importCycles(sources: readonly Source[]): string[] {
  return cyclesIn(
    new Map(
      sources.map(source => {
        const loaded = importsOf(source).filter(({ isValue, isDynamic }) => isValue && !isDynamic);
        return [source.path, new Set(loaded.map(({ target }) => target))];
      }),
    ),
  ).map(cycle => `${cycle}. ${BREAK}`);
}

/**
 * Cycles between what stands side by side in a folder, where at least one of them is a folder. Types count. A folder
 * in a cycle cannot be read, moved or deleted alone.
 */
export function folderCycles(sources: readonly Source[]): string[] {
  const folders = new Set(sources.flatMap(({ path }) => ancestors(path)));
  return [...folders].flatMap(folder => {
    const graph = new Map<string, Set<string>>();
    /** For each arrow, an import that makes it. */
    const imports = new Map<string, string>();
    for (const source of sources) {
      const from = childOf(folder, source.path);
      if (from === undefined) continue;
      for (const { target } of importsOf(source)) {
        const to = childOf(folder, target);
        if (to === undefined || to === from) continue;
        graph.set(from, (graph.get(from) ?? new Set()).add(to));
        imports.set(`${from} -> ${to}`, `${source.path} imports ${target}`);
      }
    }
    return cyclesIn(graph)
      .filter(cycle => cycle.split(' -> ').some(name => !name.endsWith('.ts')))
      .map(cycle => `${cycle}: ${arrowsOf(cycle, imports)}. ${BREAK}`);
  });
}

const BREAK =
  'Take one of these imports away: move what both need into a place of its own, or pass it as an argument.';

function arrowsOf(cycle: string, imports: ReadonlyMap<string, string>): string {
  const names = cycle.split(' -> ');
  return names
    .slice(1)
    .map((to, index) => imports.get(`${names[index]} -> ${to}`))
    .join('; ');
}

function ancestors(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** The file or folder directly in `folder` that holds `path`. */
function childOf(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  return `${folder}/${path.slice(folder.length + 1).split('/')[0]}`;
}

function cyclesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) {
      cycles.push([...trail.slice(trail.indexOf(node)), node].join(' -> '));
      return;
    }
    if (done.has(node)) return;
    for (const target of graph.get(node) ?? []) visit(target, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}
