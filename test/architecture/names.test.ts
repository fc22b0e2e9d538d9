import { expect, it } from 'vitest';
import { defaultExports, emptyNames, namesWithTwoMeanings, oddNames, wildcardExports } from './names.js';
import { readSources } from './sources.js';

const sources = readSources();

function named(path: string) {
  return [{ path, text: '' }];
}

function holding(text: string) {
  return [{ path: 'src/server/x.ts', text }];
}

it('every file is named for one thing', () => {
  expect(emptyNames(sources)).toEqual([]);
  for (const path of ['src/server/utils.ts', 'src/types.ts', 'src/shared/x.ts', 'src/http/helpers/x.ts']) {
    expect(emptyNames(named(path)), path).toEqual([path]);
  }
  expect(emptyNames(named('src/protocol/shared-result.ts'))).toEqual([]);
});

it('every name is in kebab-case', () => {
  expect(oddNames(sources)).toEqual([]);
  for (const path of ['src/server/toolResult.ts', 'src/Server/tools.ts', 'src/server/tool_result.ts']) {
    expect(oddNames(named(path)), path).toEqual([path]);
  }
});

it('every export is named', () => {
  expect(wildcardExports(sources)).toEqual([]);
  expect(defaultExports(sources)).toEqual([]);
  for (const text of [
    "export * from './a.js';",
    "export * as a from './a.js';",
    "export type * from './a.js';",
  ]) {
    expect(wildcardExports(holding(text)), text).toHaveLength(1);
  }
  for (const text of ['export default class {}', 'export { a as default };']) {
    expect(defaultExports(holding(text)), text).toHaveLength(1);
  }
  expect(wildcardExports(holding("// export * from './a.js'"))).toEqual([]);
});

it('no exported name has two meanings in a wing or in the command line', () => {
  expect(namesWithTwoMeanings(sources)).toEqual([]);
  const call = { path: 'src/protocol/call.ts', text: 'export interface Call {}' };
  const twin = { path: 'src/client/call.ts', text: 'export type Call = string;' };
  const page = { path: 'src/server/page.ts', text: 'export class Page {}' };
  const reader = { path: 'src/node/client/page.ts', text: 'export async function Page() {}' };
  expect(namesWithTwoMeanings([call, twin])).toEqual([
    'Call has several meanings in the client wing: src/protocol/call.ts, src/client/call.ts',
  ]);
  expect(namesWithTwoMeanings([call, page, reader])).toEqual([]);
  const overloads = 'export function f(a: 1): void;\nexport function f(a: 2): void;';
  expect(namesWithTwoMeanings(holding(overloads))).toEqual([]);
});
