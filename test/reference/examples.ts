import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../architecture/sources.js';
import { CONTEXT } from './context.js';
import { examplesIn, publicDeclarations } from './declarations.js';

/** An example of a comment, and the export that has it. */
export interface Example {
  name: string;
  code: string;
}

/** The examples in the comments of all exports and of their members. */
export function publicExamples(): Example[] {
  const found = new Map<string, Example>();
  for (const [subpath, names] of publicDeclarations()) {
    for (const [name, { examples, signature }] of names) {
      for (const code of [...examples, ...examplesIn(signature)]) {
        if (!found.has(code)) found.set(code, { name: `${name} of ${subpath}`, code });
      }
    }
  }
  return [...found.values()];
}

/** What the compiler says about examples, each in a file of its own. */
export async function compile(examples: readonly Example[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-examples-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await Promise.all(
      examples.map((example, at) => writeFile(join(folder, `example${at}.ts`), toProgram(example))),
    );
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const MANIFEST = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
  exports: Record<string, string | { types: string }>;
};
const CONFIG = {
  compilerOptions: {
    ...{ noEmit: true, strict: true, skipLibCheck: true, target: 'ES2022', module: 'NodeNext' },
    lib: ['ES2023', 'DOM', 'ESNext.Disposable'],
    types: ['node'],
    paths: Object.fromEntries(
      Object.entries(MANIFEST.exports).flatMap(([subpath, target]) =>
        typeof target === 'string' ? [] : [[`tenon${subpath.slice(1)}`, [join(ROOT, target.types)]]],
      ),
    ),
  },
};

/** An example in a function, with imports of the exports that it names. */
function toProgram({ name, code }: Example): string {
  const wanted = new Map<string, string>();
  const order = [...publicDeclarations()].sort(([one], [other]) => rank(other, name) - rank(one, name));
  for (const [subpath, names] of order) {
    for (const exported of names.keys()) {
      if (!wanted.has(exported) && new RegExp(`\\b${exported}\\b`).test(code)) wanted.set(exported, subpath);
    }
  }
  const imports = [...wanted].map(([exported, subpath]) => `import { ${exported} } from '${subpath}';`);
  const body = code.replace(/^export default /gm, 'void ').replace(/^export /gm, '');
  return `// ${name}\n${imports.join('\n')}${CONTEXT}\nexport async function example() {\n${body}\n}\n`;
}

/** The subpath that has the example comes first: some names mean two things in two subpaths. */
function rank(subpath: string, name: string): number {
  return name.endsWith(` of ${subpath}`) ? 1 : 0;
}

function run(folder: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return new Promise(resolve => {
    execFile(process.execPath, [tsc, '-p', folder], { cwd: folder }, (_, stdout) => resolve(stdout));
  });
}
