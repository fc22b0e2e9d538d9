import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ARROWS, importCycles, importsAgainstArrows } from './layers.js';
import { importsOf, ROOT, readSources, type Source } from './sources.js';

function file(path: string, ...lines: string[]): Source {
  return { path, text: lines.join('\n') };
}

describe('imports', () => {
  it('are found in all their forms', () => {
    const source = file(
      'src/http/x.ts',
      "import { a } from './a.js';",
      "import type { B } from '../eras/b.js';",
      'import {',
      '  type C,',
      '  d,',
      "} from '../protocol/c.js';",
      "import 'side-effect';",
      "export { e } from './e.js';",
      "export type { F } from './f.js';",
      "const lazy = () => import('./g.js');",
      " * import { no } from './comment.js';",
      'const text = "import { no } from \'./text.js\'";',
    );
    expect(importsOf(source)).toEqual([
      { target: 'src/http/a.ts', isValue: true, isDynamic: false },
      { target: 'src/eras/b.ts', isValue: false, isDynamic: false },
      { target: 'src/protocol/c.ts', isValue: true, isDynamic: false },
      { target: 'src/http/e.ts', isValue: true, isDynamic: false },
      { target: 'src/http/f.ts', isValue: false, isDynamic: false },
      { target: 'side-effect', isValue: true, isDynamic: false },
      { target: 'src/http/g.ts', isValue: true, isDynamic: true },
    ]);
  });

  it('lead to files that exist', () => {
    const sources = readSources();
    const paths = new Set(sources.map(({ path }) => path));
    const lost = sources.flatMap(source =>
      importsOf(source).filter(({ target }) => target.startsWith('src/') && !paths.has(target)),
    );
    expect(lost).toEqual([]);
  });
});

describe('the arrows between folders', () => {
  it('are followed', () => {
    expect(importsAgainstArrows(readSources())).toEqual([]);
  });

  it('cover every folder', () => {
    const folders = readdirSync(`${ROOT}/src`);
    expect(Object.keys(ARROWS)).toEqual(expect.arrayContaining(folders));
  });

  it.each([
    ['protocol knows nothing else', 'src/protocol/x.ts', '../jsonrpc/message.js'],
    ['server knows only protocol', 'src/server/x.ts', '../revisions/index.js'],
    ['server knows no era', 'src/server/x.ts', '../eras/answer.js'],
    ['jsonrpc knows no revision', 'src/jsonrpc/x.ts', '../revisions/index.js'],
    ['revisions know no era', 'src/revisions/x.ts', '../eras/select.js'],
    ['eras know no transport', 'src/eras/legacy/x.ts', '../../http/reply.js'],
    ['eras know no store', 'src/eras/x.ts', '../stores/memory.js'],
    ['stores know only protocol', 'src/stores/x.ts', '../eras/seal.js'],
    ['eras do not know the server core', 'src/eras/x.ts', '../server/server.js'],
    ['transports do not know each other', 'src/stdio/x.ts', '../http/sse.js'],
    ['transports do not know the server core', 'src/http/x.ts', '../server/server.js'],
    ['http does not know node', 'src/http/x.ts', '../node/handler.js'],
    ['the main entry is only the server and the vocabulary', 'src/index.ts', './http/index.js'],
    ['the client does not know node', 'src/client/x.ts', '../stdio/spawn.js'],
    ['http does not know the client', 'src/http/x.ts', '../client/client.js'],
    ['a new folder needs a place first', 'src/proxy/x.ts', '../protocol/call.js'],
  ])('would be broken otherwise: %s', (_, path, target) => {
    expect(importsAgainstArrows([file(path, `import type { X } from '${target}';`)])).toHaveLength(1);
    expect(importsAgainstArrows([file(path, `export { x } from '${target}';`)])).toHaveLength(1);
    expect(importsAgainstArrows([file(path, `const x = await import('${target}');`)])).toHaveLength(1);
  });
});

describe('imports between files', () => {
  it('go round in no circle', () => {
    expect(importCycles(readSources())).toEqual([]);
  });

  it('would be found if they did', () => {
    const cycle = [
      file('src/a/one.ts', "import { two } from './two.js';"),
      file('src/a/two.ts', "import { three } from './three.js';"),
      file('src/a/three.ts', "export { one } from './one.js';"),
    ];
    expect(importCycles(cycle)).toEqual(['src/a/one.ts -> src/a/two.ts -> src/a/three.ts -> src/a/one.ts']);
    expect(importCycles([file('src/a/one.ts', "import { one } from './one.js';")])).toHaveLength(1);
  });

  it('may name each other’s types, or load each other later', () => {
    const first = file('src/a/one.ts', "import { two } from './two.js';");
    expect(importCycles([first, file('src/a/two.ts', "import type { One } from './one.js';")])).toEqual([]);
    expect(importCycles([first, file('src/a/two.ts', "const one = () => import('./one.js');")])).toEqual([]);
    expect(importCycles([first, file('src/a/two.ts', "import { type One } from './one.js';")])).toHaveLength(
      1,
    );
  });
});
