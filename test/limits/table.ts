import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where limits are declared, and the heading of their table in docs/limits.md. */
export const SOURCES: Readonly<Record<string, readonly string[]>> = {
  'A server': ['src/server/limits.ts'],
  'A client': ['src/client/limits.ts'],
  'Questions and rounds': ['src/protocol/round-limit.ts', 'src/server/context/questions.ts'],
  Lists: ['src/server/server-options.ts', 'src/protocol/completion.ts', 'src/client/pages.ts'],
  'Programs, stores and keys': [
    'src/node/client/process/spawn.ts',
    'src/node/server/redis/cluster.ts',
    'src/node/server/postgres/cluster.ts',
    'src/server/auth/issuer-keys.ts',
    'src/server/auth/introspection.ts',
  ],
  'Tasks that a client follows': ['src/client/tasks/limits.ts'],
  'Tools for models': ['src/client/models/limits.ts'],
  Messages: ['src/jsonrpc/limits.ts', 'src/base/json.ts'],
  'URIs of resources': ['src/protocol/resource-uri.ts'],
  'Ids of requests': ['src/protocol/request-meta.ts'],
  Apps: ['src/protocol/apps.ts'],
  Skills: ['src/skills/limits.ts'],
  'Apps in a host': ['src/client/apps/limits.ts'],
  Tasks: ['src/server/tasks/limits.ts'],
  Middleware: ['src/middleware/limits.ts'],
};

export function readProjectFile(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
}

/** The rows of a table: the name, the value and the comment of each exported number of its files. */
export async function rowsOf(paths: readonly string[]): Promise<string[]> {
  return (await Promise.all(paths.map(rowsOfFile))).flat();
}

async function rowsOfFile(path: string): Promise<string[]> {
  const values: Record<string, unknown> = await import(`../../${path.replace(/\.ts$/, '.js')}`);
  const declared = readProjectFile(path).matchAll(
    /(?:\/\*\* ((?:(?!\*\/)[\s\S])*) \*\/\n)?export const ([A-Z_]+)\b/g,
  );
  return [...declared].flatMap(([, comment, name]) => {
    const value = values[name as string];
    if (typeof value !== 'number') return [];
    return [`| \`${name}\` | ${shown(name as string, value)} | ${comment ?? 'See the line above.'} |`];
  });
}

function shown(name: string, value: number): string {
  if (name.endsWith('_MS') || name.endsWith('TIMEOUT')) return duration(value);
  if (/BYTES|LENGTH|UNSENT/.test(name) && value >= 1024) return size(value);
  return value < 1 ? `1/${Math.round(1 / value)}` : value.toLocaleString('en');
}

function duration(ms: number): string {
  const units = [
    ['days', 86_400_000],
    ['hours', 3_600_000],
    ['minutes', 60_000],
    ['seconds', 1000],
  ] as const;
  const [unit, length] = units.find(([, length]) => ms >= length && ms % length === 0) ?? ['ms', 1];
  return `${ms / length} ${ms === length ? unit.replace(/s$/, '') : unit}`;
}

function size(bytes: number): string {
  return bytes % 2 ** 20 === 0
    ? `${bytes / 2 ** 20} Mi`
    : bytes % 1024 === 0
      ? `${bytes / 1024} Ki`
      : `${bytes}`;
}
