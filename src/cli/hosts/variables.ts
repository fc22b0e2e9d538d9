import { usageError } from '../failure.js';
import type { HostedServer, Surroundings } from './host.js';

/** `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${workspaceFolder}`, `${input:id}`, and `$NAME` alone. */
const VARIABLE = /\$\{([^}]*)\}|^\$([A-Za-z_]\w*)$/g;

/** Replaces the variables that hosts allow in their configuration. */
export function expandVariables<T extends HostedServer>(server: T, name: string, here: Surroundings): T {
  const expand = (text: string) =>
    text.replace(VARIABLE, (whole, braced?: string, bare?: string) =>
      valueFor(braced ?? bare ?? whole, name, here),
    );
  return mapTexts(server, expand) as T;
}

function valueFor(variable: string, name: string, { env, home, cwd }: Surroundings): string {
  if (variable === 'workspaceFolder') return cwd;
  if (variable === 'userHome') return home;
  if (variable.startsWith('input:')) {
    throw usageError(
      `the server "${name}" needs an input that its host asks for: ${variable.slice('input:'.length)}`,
      'Give the target itself, with what it needs: a URL with --header, or VARIABLE=value tenon … -- program',
    );
  }
  const [, key = '', fallback] = /^(?:env:)?([^:]*)(?::-(.*))?$/s.exec(variable) ?? [];
  const value = env[key] ?? fallback;
  if (value !== undefined) return value;
  throw usageError(
    `the server "${name}" needs the environment variable ${key || variable}, which is not set`,
    `Set it: ${key || 'NAME'}=… tenon …`,
  );
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map(item => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, map)]));
}
