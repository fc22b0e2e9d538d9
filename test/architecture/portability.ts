import { builtinModules } from 'node:module';
import { folderOf, importsOf, type Source } from './sources.js';
import { identifiersOf } from './syntax.js';

/** The folders that run on every runtime. */
export const CORE = [
  'base',
  'protocol',
  'jsonrpc',
  'revisions',
  'vocabulary',
  'json-schema',
  'skills',
  'server',
  'client',
  'middleware',
  'testing',
];

const GLOBALS = new Set(['Buffer', 'process', 'global', 'require', '__dirname', '__filename']);

/** Modules, globals and types of Node in the folders that run everywhere. */
export async function nodeInCore(sources: readonly Source[]): Promise<string[]> {
  const core = sources.filter(({ path }) => CORE.includes(folderOf(path)));
  const found = await Promise.all(
    core.map(async source => {
      const modules = importsOf(source)
        .map(({ target }) => target)
        .filter(target => target.startsWith('node:') || builtinModules.includes(target));
      const globals = (await identifiersOf(source.text)).filter(name => GLOBALS.has(name));
      const types = [...source.text.matchAll(/\bNodeJS\.\w+|<reference types="node"/g)].map(([type]) => type);
      return [...modules, ...globals, ...types].map(
        what =>
          `${source.path} must not use ${what}: it runs on every runtime. Use a web standard, or take it as an argument from node/.`,
      );
    }),
  );
  return found.flat();
}
