import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { folderCycles, importCycles, importsAgainstArrows, LAYERS, loadedWith } from './layers.js';
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

/** An import that must not be, and what the message about it says. */
const WRONG: readonly [path: string, target: string, advice: string][] = [
  ['src/base/x.ts', '../protocol/call.js', 'take what is needed as an argument'],
  ['src/protocol/x.ts', '../jsonrpc/message.js', 'names no revision'],
  ['src/protocol/x.ts', '../revisions/index.js', 'see revisions/'],
  ['src/jsonrpc/x.ts', '../revisions/index.js', 'let its caller decide'],
  ['src/revisions/x.ts', '../server/era.js', 'let legacy/ or modern/ do the work'],
  ['src/json-schema/x.ts', '../protocol/tools.js', 'let server/schema or the client say'],
  ['src/server/http/x.ts', '../../json-schema/validator.js', 'A door knows no other door'],
  ['src/client/x.ts', '../server/server.js', 'move what both need there'],
  ['src/client/http/x.ts', '../../server/http/sse.js', 'pass what it needs'],
  ['src/server/x.ts', '../client/client.js', 'move what both need there'],
  ['src/server/http/x.ts', '../../client/http/events.js', 'A door knows no other door'],
  ['src/node/server/x.ts', '../client/sender.js', 'move what both need there'],
  ['src/node/client/x.ts', '../../server/server.js', 'move what both need there'],
  ['src/server/registry/x.ts', '../../revisions/index.js', 'read what is needed from the Call'],
  ['src/server/registry/x.ts', '../legacy/session.js', 'read what is needed from the Call'],
  ['src/server/context/x.ts', '../rounds/round.js', 'read what is needed from the Call'],
  ['src/server/context/x.ts', '../loading.js', 'read what is needed from the Call'],
  ['src/server/modern/x.ts', '../loading.js', 'pass what it needs as an argument'],
  ['src/server/server.ts', './http/handler.js', 'read what is needed from the Call'],
  ['src/server/index.ts', './http/index.js', 'doors have subpaths of their own'],
  ['src/server/legacy/x.ts', '../modern/call.js', 'not the other era'],
  ['src/server/modern/x.ts', '../http/reply.js', 'knows no transport'],
  ['src/server/rounds/x.ts', '../modern/call.js', 'let modern/ or tasks/ say where they are kept'],
  ['src/server/tasks/x.ts', '../modern/rounds.js', 'and no transport'],
  ['src/server/seal/x.ts', '../rounds/round.js', 'pass the words that it binds'],
  ['src/server/http/x.ts', '../registry/tools.js', 'A door knows no other door'],
  ['src/server/http/x.ts', '../../node/server/handler.js', 'node/server turns what Node has'],
  ['src/server/auth/x.ts', '../legacy/session.js', 'exchanges and tokens only'],
  ['src/client/x.ts', '../node/client/sender.js', 'move what both need there'],
  ['src/client/auth/x.ts', '../client.js', 'HTTP requests and responses only'],
  ['src/testing/x.ts', '../client/client.js', 'what the index of a subpath exports'],
  ['src/testing/x.ts', '../server/server.js', 'what the index of a subpath exports'],
  ['src/cli/x.ts', '../client/index.js', 'import tenon, tenon/client or another subpath'],
  ['src/cli/commands/x.ts', '../../protocol/tools.js', 'mend the API where that is awkward'],
  ['src/playground/x.ts', '../server/index.js', 'import tenon, tenon/client or another subpath'],
  ['src/playground/x.ts', '../cli/target.js', 'import tenon, tenon/client or another subpath'],
  ['src/client/x.ts', '../cli/target.js', 'move what both need there'],
  ['src/proxy/x.ts', '../protocol/call.js', 'a place in LAYERS'],
];

describe('the arrows between folders', () => {
  it('are followed', () => {
    expect(importsAgainstArrows(readSources())).toEqual([]);
  });

  it('cover every folder', () => {
    expect(Object.keys(LAYERS)).toEqual(expect.arrayContaining(readdirSync(`${ROOT}/src`)));
  });

  it.each(WRONG)(
    'would be broken by %s importing %s, and the message says what to do',
    (path, target, advice) => {
      const lines = [
        `import type { X } from '${target}';`,
        `export { x } from '${target}';`,
        `const x = await import('${target}');`,
      ];
      for (const line of lines) {
        const [message, ...others] = importsAgainstArrows([file(path, line)]);
        expect(others).toEqual([]);
        expect(message).toContain(path);
        expect(message).toContain(advice);
      }
    },
  );
});

describe('the command line and the page', () => {
  const isSdk = (target: string) => target === 'tenon' || target.startsWith('tenon/');

  it('are alone in importing the package by its name', () => {
    const users = readSources().filter(source => importsOf(source).some(({ target }) => isSdk(target)));
    const places = users.map(({ path }) => path).filter(path => !/^src\/(cli|playground)\//.test(path));
    expect(places).toEqual([]);
    expect(users.length).toBeGreaterThan(3);
  });
});

describe('the JSON Schema validator', () => {
  const isValidator = (path: string) => path.startsWith('src/json-schema/');

  it.each([
    'src/server/index.ts',
    'src/server/http/index.ts',
    'src/client/index.ts',
    'src/node/index.ts',
    'src/node/client/index.ts',
    'src/node/server/stdio/index.ts',
  ])('is not loaded with %s, only when there is a schema to check', entry => {
    const loaded = [...loadedWith(entry, readSources())];
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.filter(isValidator)).toEqual([]);
  });

  it('would be found if it were', () => {
    const sources = [
      file('src/client/index.ts', "export { a } from './a.js';", "import type { B } from './b.js';"),
      file('src/client/a.ts', "import { c } from '../json-schema/c.js';", "const d = import('./d.js');"),
    ];
    const loaded = loadedWith('src/client/index.ts', sources);
    expect([...loaded]).toEqual(['src/client/index.ts', 'src/client/a.ts', 'src/json-schema/c.ts']);
  });
});

describe('folders', () => {
  it('are in no cycle, at any level', () => {
    expect(folderCycles(readSources())).toEqual([]);
  });

  it('would be found if they were', () => {
    const toChild = file('src/a/b/one.ts', "import { two } from './c/two.js';");
    const toParent = file('src/a/b/c/two.ts', "import type { One } from '../one.js';");
    const advice =
      'Take one of these imports away: move what both need into a place of its own, or pass it as an argument.';
    expect(folderCycles([toChild, toParent])).toEqual([
      'src/a/b/one.ts -> src/a/b/c -> src/a/b/one.ts: src/a/b/one.ts imports src/a/b/c/two.ts; ' +
        `src/a/b/c/two.ts imports src/a/b/one.ts. ${advice}`,
    ]);
    const there = file('src/a/b/x.ts', "import { y } from '../c/y.js';");
    const back = file('src/a/c/z.ts', "import type { X } from '../b/w.js';");
    expect(folderCycles([there, back])).toEqual([
      'src/a/b -> src/a/c -> src/a/b: src/a/b/x.ts imports src/a/c/y.ts; ' +
        `src/a/c/z.ts imports src/a/b/w.ts. ${advice}`,
    ]);
    expect(folderCycles([there, toChild, toParent, back])).toHaveLength(2);
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
    expect(importCycles(cycle)).toEqual([
      'src/a/one.ts -> src/a/two.ts -> src/a/three.ts -> src/a/one.ts. ' +
        'Take one of these imports away: move what both need into a place of its own, or pass it as an argument.',
    ]);
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
