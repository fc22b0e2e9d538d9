/** The answers that a new project needs. */
export interface ProjectPlan {
  readonly name: string;
  /** What `package.json` says about this package: a version, or a file. */
  readonly tenon: string;
}

/** The files of a new project, by their paths. */
export function projectFiles({ name, tenon }: ProjectPlan): Readonly<Record<string, string>> {
  return {
    'package.json': json({
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      scripts: {
        dev: 'tenon dev src/server.ts',
        start: 'tenon serve src/server.ts',
        test: 'vitest run',
        check: 'tsc --noEmit',
      },
      dependencies: { tenon, zod: '^4.2.0' },
      devDependencies: { '@types/node': '^20.0.0', typescript: '^5.9.0', vitest: '^4.0.0' },
      engines: { node: '>=20' },
    }),
    'tsconfig.json': json({
      compilerOptions: {
        target: 'ES2023',
        module: 'NodeNext',
        lib: ['ES2023', 'ESNext.Disposable'],
        types: ['node'],
        strict: true,
        skipLibCheck: true,
        noEmit: true,
      },
      include: ['src', 'test'],
    }),
    'src/server.ts': server(name),
    'test/server.test.ts': TEST,
    'README.md': readme(name),
    '.gitignore': 'node_modules\n',
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function server(name: string): string {
  return `import { Server } from 'tenon';
import { z } from 'zod';

const server = new Server({ name: '${name}', version: '0.1.0' });

server.tool(
  'reserve',
  {
    title: 'Reserve a table',
    description: 'Reserves a table, and asks the user how many guests will come',
    input: z.object({ day: z.enum(['friday', 'saturday', 'sunday']) }),
    output: z.object({ table: z.string(), guests: z.number() }),
  },
  async ({ day }, ctx) => {
    // Works for clients of every revision: where the server cannot ask, the call ends here and runs again.
    const party = await ctx.elicit('How many guests?', z.object({ guests: z.number().int().min(1).max(8) }));
    if (party.action !== 'accept') return ctx.error('No table was reserved.');
    const { guests } = party.content;
    // A step runs once, however often the call runs.
    const table = await ctx.step('hold', () => holdTable(day, guests));
    return { table, guests };
  },
);

server.resource('menu://today', { name: 'Menu', mimeType: 'text/markdown' }, () => '# Today\\n\\n- Onion soup\\n- Quiche\\n');

function holdTable(day: string, guests: number): string {
  return \`\${day}-table-for-\${guests}\`;
}

export default server;
`;
}

const TEST = `import { eachRevision } from 'tenon/testing';
import { expect, test } from 'vitest';
import server from '../src/server.js';

// Forms came with 2025-06-18.
eachRevision(test, 'reserves a table for the guests', { since: '2025-06-18' }, async connect => {
  const client = await connect(server, { answers: { elicit: { guests: 2 } } });
  const { structuredContent } = await client.callTool('reserve', { day: 'friday' });
  expect(structuredContent).toEqual({ table: 'friday-table-for-2', guests: 2 });
});

eachRevision(test, 'reads the menu', async connect => {
  const client = await connect(server);
  const { contents } = await client.readResource('menu://today');
  expect(contents[0]).toMatchObject({ mimeType: 'text/markdown' });
});
`;

function readme(name: string): string {
  return `# ${name}

An MCP server, made with [Tenon](https://www.npmjs.com/package/tenon).

| command | effect |
| --- | --- |
| \`npm run dev\` | runs the server, reloads it when it is saved, and opens a page to try it |
| \`npm test\` | tests it, in every revision of the protocol |
| \`npm start\` | runs it in production: \`PORT\`, \`TENON_KEYS\` |
| \`npm run check\` | checks the types |

To let a host start it: \`npx tenon config --for claude-code -- npx tenon dev src/server.ts --stdio\` prints what to add.
`;
}
