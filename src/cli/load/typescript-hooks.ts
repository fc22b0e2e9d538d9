import { readFile, stat } from 'node:fs/promises';
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import { transform } from 'sucrase';

/** The query parameter that counts the loads of a program, so that each one runs all of its files anew. */
const LOAD = 'tenon-load';
const TYPESCRIPT = new Set(['.ts', '.mts', '.tsx']);
/** What an import may leave out, or name as it will be after a build. */
const ENDINGS = ['', '.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js'];

let loaded: MessagePort | undefined;

/** Gets the port that hears of every file that is loaded. */
export const initialize: InitializeHook<{ port: MessagePort }> = ({ port }) => {
  loaded = port;
};

/** Finds TypeScript files where JavaScript is named, and passes on which load it is. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const parent = context.parentURL?.startsWith('file:') ? new URL(context.parentURL) : undefined;
  const load = parent?.searchParams.get(LOAD);
  const isOwn = /^(\.\.?\/|\/|file:)/.test(specifier);
  if (load === null || load === undefined || !isOwn) return next(specifier, context);
  const url = new URL(specifier, parent);
  if (url.protocol !== 'file:' || isInstalled(url)) return next(specifier, context);
  const found = await findFile(url);
  if (!found) return next(specifier, context);
  found.searchParams.set(LOAD, load);
  return { url: found.href, shortCircuit: true };
};

/** Removes the types, in place, so that errors name the lines of the source. */
export const load: LoadHook = async (href, context, next) => {
  const url = href.startsWith('file:') ? new URL(href) : undefined;
  if (!url?.searchParams.has(LOAD)) return next(href, context);
  const path = fileURLToPath(url);
  loaded?.postMessage(path);
  if (!TYPESCRIPT.has(extname(path))) {
    const plain = await next(href, context);
    return plain.format === 'module' && plain.source
      ? { ...plain, source: named(String(plain.source), path) }
      : plain;
  }
  const { code } = transform(await readFile(path, 'utf8'), {
    transforms: path.endsWith('x') ? ['typescript', 'jsx'] : ['typescript'],
    disableESTransforms: true,
    preserveDynamicImport: true,
    filePath: path,
  });
  return { format: 'module', source: named(code, path), shortCircuit: true };
};

/** Stacks of errors name the file as its author does, without the number of the load. */
function named(code: string, path: string): string {
  return `${code}\n//# sourceURL=${pathToFileURL(path).href}`;
}

function isInstalled(url: URL): boolean {
  return url.pathname.includes('/node_modules/');
}

async function findFile(url: URL): Promise<URL | undefined> {
  const base = url.pathname.replace(/\.(m?)js$/, '.$1ts');
  const paths = base === url.pathname ? ENDINGS.map(ending => base + ending) : [url.pathname, base];
  for (const path of paths) {
    const candidate = new URL(url);
    candidate.pathname = path;
    if (await isFile(candidate)) return candidate;
  }
  return undefined;
}

async function isFile(url: URL): Promise<boolean> {
  const found = await stat(new URL(url.pathname, url)).catch(() => undefined);
  return found?.isFile() ?? false;
}
