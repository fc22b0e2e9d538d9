import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CORE, nodeInCore } from './portability.js';
import { ROOT, readSources } from './sources.js';

const WRONG = [
  "import { readFile } from 'node:fs/promises';",
  "import type { IncomingMessage } from 'node:http';",
  "import { Readable } from 'stream';",
  "const fs = await import('node:fs');",
  'const bytes = Buffer.from(text);',
  'const key = process.env.KEY;',
  'let timer: NodeJS.Timeout | undefined;',
];

describe('the folders that run on every runtime', () => {
  it('have nothing of Node', async () => {
    expect(await nodeInCore(readSources())).toEqual([]);
  });

  it.each(WRONG)('would not get away with %s', async text => {
    expect(await nodeInCore([{ path: 'src/server/http/x.ts', text }])).toEqual([
      expect.stringMatching(
        /^src\/server\/http\/x\.ts must not use .*Use a web standard, or take it as an argument/,
      ),
    ]);
    expect(await nodeInCore([{ path: 'src/client/index.ts', text }])).toHaveLength(1);
  });

  it.each(['const { process: run } = call;', 'call.process();', 'const x = { global: 1 };'])(
    'may have %s, which is not of Node',
    async text => {
      expect(await nodeInCore([{ path: 'src/server/x.ts', text }])).toEqual([]);
    },
  );

  it.each(['src/node/x.ts', 'src/node/server/x.ts'])('do not include %s', async path => {
    expect(await nodeInCore(WRONG.map(text => ({ path, text })))).toEqual([]);
  });

  it('are compiled without the types of Node', () => {
    // The file has comments, which JSON.parse does not take.
    const config = JSON.parse(
      readFileSync(`${ROOT}/tsconfig.core.json`, 'utf8').replace(/^\s*\/\/.*$/gm, ''),
    );
    expect(config.compilerOptions.types).toEqual([]);
    expect(config.include.sort()).toEqual(CORE.map(folder => `src/${folder}`).sort());
  });
});
