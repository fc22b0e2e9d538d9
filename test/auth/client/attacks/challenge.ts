import type { Attack } from './attack.js';
import type { Mutation } from './mutants.js';
import { RESOURCE_DOCUMENT, type World } from './world.js';

const FILE = 'client/auth/www-authenticate.ts';

const ANY_SCHEME: Mutation = {
  file: FILE,
  from: '.filter(({ scheme }) => /^(bearer|dpop)$/i.test(scheme))',
  to: '',
};
const NO_ESCAPES: Mutation = { file: FILE, from: '"(?:[^"\\\\]|\\\\.)*"', to: '"[^"]*"' };
const NO_QUOTES: Mutation = { file: FILE, from: '"(?:[^"\\\\]|\\\\.)*"|', to: '' };
const LAST_COUNTS: Mutation = { file: FILE, from: 'if (!parameters.has(name)) ', to: '' };
const READS_ON: Mutation = {
  file: FILE,
  from: 'if (!scheme) return challenges;',
  to: 'if (!scheme) { if (at >= header.length) return challenges; at++; continue; }',
};
const ANY_LENGTH: Mutation[] = [
  { file: FILE, from: 'const MAX_LENGTH = 16 * 1024;', to: 'const MAX_LENGTH = Infinity;' },
  {
    file: 'node/client/sender.ts',
    from: '({ method, host, port, path, headers, agent })',
    to: '({ method, host, port, path, headers, agent, maxHeaderSize: 1e7 })',
  },
];

/** Headers that name the metadata of the other server where careless readers find it. */
const HEADERS: [what: string, header: (right: string, wrong: string) => string | string[], Mutation[]][] = [
  ['in another scheme', (right, wrong) => `Basic ${wrong}, Bearer ${right}`, [ANY_SCHEME]],
  [
    'in another scheme, in a header of its own',
    (right, wrong) => [`Digest ${wrong}`, `Bearer ${right}`],
    [ANY_SCHEME],
  ],
  [
    'in a scheme that begins with the right one',
    (right, wrong) => `BearerX ${wrong}, Bearer ${right}`,
    [ANY_SCHEME],
  ],
  [
    'in a scheme that ends with the right one',
    (right, wrong) => `XBearer ${wrong}, Bearer ${right}`,
    [ANY_SCHEME],
  ],
  [
    'after a token in place of parameters',
    (right, wrong) => `Negotiate YII=, Basic ${wrong}, Bearer ${right}`,
    [ANY_SCHEME],
  ],
  ['once more', (right, wrong) => `Bearer ${right}, ${wrong}`, [LAST_COUNTS]],
  [
    'once more, in capitals',
    (right, wrong) => `Bearer ${right}, ${wrong.replace('resource_metadata', 'RESOURCE_METADATA')}`,
    [LAST_COUNTS],
  ],
  [
    'inside quotes',
    (right, wrong) => `Bearer realm="x, Bearer ${wrong.replaceAll('"', '')}", ${right}`,
    [NO_QUOTES, READS_ON],
  ],
  [
    'after an escaped quote',
    (right, wrong) => `Bearer realm="\\", ${wrong.replaceAll('"', '')}, x=\\"", ${right}`,
    [NO_ESCAPES],
  ],
  [
    'after an escaped quote and a comma',
    (right, wrong) => `Bearer realm="a\\",Bearer ${wrong.replaceAll('"', '')},b=\\"", ${right}`,
    [NO_ESCAPES],
  ],
  [
    'after a quote that does not end',
    (_, wrong) => `Bearer realm="x, Bearer ${wrong.replaceAll('"', '')}`,
    [READS_ON],
  ],
  ['after garbage', (_, wrong) => `Bearer realm=x, =, Bearer ${wrong}`, [READS_ON]],
  ['after control characters', (_, wrong) => `Bearer realm=x, \u0080\u00ff Bearer ${wrong}`, [READS_ON]],
  ['after brackets', (_, wrong) => `Bearer realm=x (Bearer ${wrong})`, [READS_ON]],
  [
    'in 15 KB of quotes',
    (right, wrong) => `Bearer ${right}, realm="${'\\"'.repeat(7000)}", ${wrong}`,
    [LAST_COUNTS],
  ],
  [
    'behind 15 KB of quotes that do not end',
    (_, wrong) => `Bearer realm="${'\\\\'.repeat(3500)}\\", ${'"\\'.repeat(3000)} Bearer ${wrong}`,
    [READS_ON],
  ],
  ['behind 15 KB of blanks', (_, wrong) => `Bearer realm${' \t'.repeat(7000)}; Bearer ${wrong}`, [READS_ON]],
  ['behind 15 KB of commas', (right, wrong) => `Bearer ${right}${', '.repeat(7000)}${wrong}`, [LAST_COUNTS]],
];

function parameters({ mcp, other }: World): [right: string, wrong: string] {
  return [
    `resource_metadata="${mcp.url}${RESOURCE_DOCUMENT}"`,
    `resource_metadata="${other.url}${RESOURCE_DOCUMENT}"`,
  ];
}

export const CHALLENGE_ATTACKS: Attack[] = [
  ...HEADERS.map(
    ([where, header, mutations]): Attack => ({
      name: `other metadata ${where}`,
      lies: world => {
        const [right, wrong] = parameters(world);
        // Unquoted, a URL cannot be a value; the name of the other is enough to see that it is taken for one.
        world.challenge = header(right, wrong);
      },
      outcome: 'works',
      check: ({ other }) => other.received.length === 0,
      mutations,
      undefended: 'resource',
    }),
  ),
  {
    name: 'other metadata in a header of a megabyte',
    lies: world => {
      const [, wrong] = parameters(world);
      world.challenge = `Bearer realm="${'x'.repeat(1024 * 1024)}", ${wrong}`;
    },
    outcome: 'CannotConnect',
    check: ({ other }) => other.received.length === 0,
    mutations: ANY_LENGTH,
    undefended: 'resource',
  },
];
