import { expect, it } from 'vitest';
import { defaultExports, emptyNames, oddNames, wildcardExports } from './names.js';
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
