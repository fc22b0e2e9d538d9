import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccessError } from '../../../src/client/auth/errors.js';
import { memoryStore } from '../../../src/client/auth/memory-store.js';
import type { CredentialStore } from '../../../src/client/auth/store.js';
import { fileStore } from '../../../src/node/client/auth/file-store.js';
import { program } from '../../programs/program.js';
import { Counter } from './counters.js';
import { fixturePath, outputOf, runFixture, startFixture } from './run-fixture.js';

const NOBODY = 65_534;
// `npm run test:long` writes more.
const WRITES = Number(process.env.STORE_WRITES ?? 100);
const isRoot = process.getuid?.() === 0;

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-store-'));
  path = join(folder, 'credentials.json');
});

afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

describe.each([
  ['in memory', () => memoryStore()],
  ['in a file', () => fileStore(path)],
])('a store %s', (_, create) => {
  test('gives what was written, with another version after every write', async () => {
    const store = create();
    expect(await store.get('a')).toBeUndefined();
    expect(await store.replace('a', 'one', undefined)).toBe(true);
    const first = await store.get('a');
    expect(first?.value).toBe('one');
    expect(await store.replace('a', 'one', first?.version)).toBe(true);
    const second = await store.get('a');
    expect(second?.value).toBe('one');
    expect(second?.version).not.toBe(first?.version);
    expect(await store.replace('a', undefined, second?.version)).toBe(true);
    expect(await store.get('a')).toBeUndefined();
  });

  test('writes over nothing that has changed meanwhile', async () => {
    const store = create();
    await store.replace('a', 'one', undefined);
    const { version } = (await store.get('a'))!;
    expect(await store.replace('a', 'two', undefined)).toBe(false);
    expect(await store.replace('a', 'two', 'another version')).toBe(false);
    expect(await store.replace('a', undefined, undefined)).toBe(false);
    expect(await store.replace('b', 'two', version)).toBe(false);
    expect(await store.get('a')).toEqual({ value: 'one', version });
    expect(await store.get('b')).toBeUndefined();
  });

  test('takes no old version for a new one, even if the value was removed in between', async () => {
    const store = create();
    await store.replace('a', 'one', undefined);
    const { version } = (await store.get('a'))!;
    await store.replace('a', undefined, version);
    await store.replace('a', 'one', undefined);
    expect(await store.replace('a', 'two', version)).toBe(false);
  });

  test.each(['__proto__', 'constructor', 'toString', '', ' ', 'https://as.example/\n', '\ud800', '🔑'])(
    'has a place for the key %j',
    async key => {
      const store = create();
      expect(await store.get(key)).toBeUndefined();
      expect(await store.replace(key, key, undefined)).toBe(true);
      expect((await store.get(key))?.value).toBe(key);
      expect(await store.replace('other', 'x', undefined)).toBe(true);
      expect((await store.get(key))?.value).toBe(key);
    },
  );

  test('lets one of many calls at the same time win', async () => {
    const store = create();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => store.replace('a', `${n}`, undefined)),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect((await store.get('a'))?.value).toBe(`${outcomes.indexOf(true)}`);
  });

  test('behaves like a map with versions', async () => {
    const key = fc.constantFrom('a', 'b', '__proto__');
    const steps = fc.array(
      fc.oneof(
        fc.record({ do: fc.constant('get' as const), key }),
        fc.record({
          do: fc.constant('replace' as const),
          key,
          value: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
          expecting: fc.constantFrom('what is there', 'nothing', 'the one before', 'that of another key'),
        }),
      ),
      { maxLength: 15 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async all => {
        rmSync(path, { force: true });
        await expectLikeModel(create(), all);
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});

type Step =
  | { do: 'get'; key: string }
  | { do: 'replace'; key: string; value: string | undefined; expecting: string };

async function expectLikeModel(store: CredentialStore, steps: readonly Step[]): Promise<void> {
  const values = new Map<string, string>();
  /** All the versions that a key has had. */
  const versions = new Map<string, string[]>();
  const currentVersion = (key: string) => (values.has(key) ? versions.get(key)?.at(-1) : undefined);
  for (const step of steps) {
    const { key } = step;
    if (step.do === 'replace') {
      const other = [...values.keys()].find(name => name !== key);
      const expected = {
        'what is there': currentVersion(key),
        nothing: undefined,
        'the one before': versions.get(key)?.at(-2),
        'that of another key': other === undefined ? undefined : currentVersion(other),
      }[step.expecting];
      const isReplaced = expected === currentVersion(key);
      expect(await store.replace(key, step.value, expected)).toBe(isReplaced);
      if (isReplaced && step.value === undefined) values.delete(key);
      if (isReplaced && step.value !== undefined) {
        values.set(key, step.value);
        const { version } = (await store.get(key))!;
        const before = [...versions.values()].flat();
        expect(before).not.toContain(version);
        versions.set(key, [...(versions.get(key) ?? []), version]);
      }
    }
    const stored = await store.get(key);
    expect(stored?.value).toBe(values.get(key));
    expect(stored?.version).toBe(currentVersion(key));
  }
}

describe('the file of a store', () => {
  // covers: 2025-06-18/authorization/secure-token-storage
  // covers: 2026-07-28/authorization-security/tokens-are-stored-safely
  // covers: 2026-07-28/authorization/refresh-tokens-are-confidential
  test('is for its owner only, and so are the folders that are made for it', async () => {
    const deep = join(folder, 'one', 'two', 'credentials.json');
    await fileStore(deep).replace('a', 'one', undefined);
    expect(modeOf(deep)).toBe(0o600);
    expect(modeOf(join(folder, 'one', 'two'))).toBe(0o700);
    expect(modeOf(join(folder, 'one'))).toBe(0o700);
  });

  test.each([0o644, 0o640, 0o666, 0o604])('is made private if its mode is %o', async mode => {
    const store = fileStore(path);
    await store.replace('a', 'one', undefined);
    chmodSync(path, mode);
    expect((await store.get('a'))?.value).toBe('one');
    expect(modeOf(path)).toBe(0o600);
    chmodSync(path, mode);
    await store.replace('b', 'two', undefined);
    expect(modeOf(path)).toBe(0o600);
  });

  test('is not made by reading', async () => {
    expect(await fileStore(path).get('a')).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('has nothing beside it after writing', async () => {
    const store = fileStore(path);
    await store.replace('a', 'one', undefined);
    await store.replace('a', 'two', undefined);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  test('is read while somebody writes', async () => {
    await fileStore(path).replace('a', 'one', undefined);
    writeFileSync(`${path}.lock`, `${process.pid} somebody`);
    expect((await fileStore(path).get('a'))?.value).toBe('one');
  });

  const whole = (entries: unknown, format: unknown = 1) => JSON.stringify({ format, entries });
  test.each([
    ['empty', ''],
    ['cut off', '{"format":1,"entries":{"a":{"value":"secret-token","version":"1"'],
    ['not JSON', 'access_token=secret-token'],
    ['null', 'null'],
    ['a list', '["secret-token"]'],
    ['of another format', whole({}, 2)],
    ['without entries', '{"format":1}'],
    ['with a list of entries', whole([])],
    ['with an entry that is no object', whole({ a: 'secret-token' })],
    ['with an entry without a version', whole({ a: { value: 'secret-token' } })],
    ['with a value that is no string', whole({ a: { value: 1, version: '1' } })],
    ['not UTF-8', Buffer.concat([Buffer.from('{"format":1,"entries":{}}'), Buffer.from([0xff])])],
  ])('is an error and stays as it is if it is %s', async (_, content) => {
    writeFileSync(path, content, { mode: 0o600 });
    const store = fileStore(path);
    for (const attempt of [
      () => store.get('a'),
      () => store.replace('a', 'one', undefined),
      () => store.replace('a', undefined, '1'),
    ]) {
      const error = await problemOf(attempt);
      expect(error.message).toContain(path);
      expect(error.message).toContain('move it away');
      // Errors are logged.
      expect(`${error.stack} ${error.cause}`).not.toContain('secret-token');
    }
    expect(readFileSync(path)).toEqual(Buffer.from(content));
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  test('is an error if it is a folder, a pipe, or below a file', async () => {
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', ['-m', '600', pipe]).status).toBe(0);
    mkdirSync(path);
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const wrong of [path, pipe, join(file, 'credentials.json')]) {
      expect((await problemOf(() => fileStore(wrong).get('a'))).message).toContain(wrong);
      const error = await problemOf(() => fileStore(wrong).replace('a', 'one', undefined));
      expect(error.message).toContain(wrong);
    }
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['credentials.json', 'file', 'pipe']);
  });

  test('is written where a link leads', async () => {
    const link = join(folder, 'link.json');
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    await fileStore(join(elsewhere, 'real.json')).replace('a', 'one', undefined);
    symlinkSync('elsewhere/real.json', link);
    expect(await fileStore(link).replace('b', 'two', undefined)).toBe(true);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect((await fileStore(join(elsewhere, 'real.json')).get('b'))?.value).toBe('two');
    expect(readdirSync(elsewhere)).toEqual(['real.json']);
  });

  test('is made where a link leads, also over several links and into a new folder', async () => {
    const link = join(folder, 'link.json');
    symlinkSync('second.json', link);
    symlinkSync(join(folder, 'new', 'real.json'), join(folder, 'second.json'));
    expect(await fileStore(link).get('a')).toBeUndefined();
    expect(await fileStore(link).replace('a', 'one', undefined)).toBe(true);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect((await fileStore(join(folder, 'new', 'real.json')).get('a'))?.value).toBe('one');
  });

  test('is an error if links go round in a circle', async () => {
    symlinkSync(path, path);
    await problemOf(() => fileStore(path).get('a'));
    await problemOf(() => fileStore(path).replace('a', 'one', undefined));
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  test.each([
    ['the lock', 0],
    ['the new content', 1],
  ])('keeps its content if there is no room for %s', async (_, kilobytes) => {
    await fileStore(path).replace('key', 'old', undefined);
    const before = readFileSync(path);
    const command = `ulimit -f ${kilobytes}; exec "$@"`;
    const args = [process.execPath, program(fixturePath('write.ts')), path, '5000'];
    const { stdout } = spawnSync('bash', ['-c', command, 'bash', ...args], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual({ problem: 'store', message: expect.stringContaining(path) });
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  test('keeps its content if its folder is read-only', async () => {
    await fileStore(path).replace('key', 'old', undefined);
    const before = readFileSync(path);
    if (isRoot) chownSync(path, NOBODY, NOBODY);
    chmodSync(folder, 0o555);
    const output = await runFixture('write.ts', [path, '10'], isRoot ? { uid: NOBODY, gid: NOBODY } : {});
    const message = `cannot write the credentials to ${path}: permission denied; check who owns it and its folder`;
    expect(JSON.parse(output)).toEqual({ problem: 'store', message });
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  test.runIf(isRoot)('is an error if others may read it and that cannot be changed', async () => {
    await fileStore(path).replace('key', 'old', undefined);
    chmodSync(path, 0o644);
    chmodSync(folder, 0o755);
    const child = startFixture('write.ts', [path, '10'], {
      uid: NOBODY,
      gid: NOBODY,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await expect(outputOf(child)).rejects.toThrow('it ended with 1');
    expect(modeOf(path)).toBe(0o644);
  });
});

describe('the lock of a file', () => {
  const temporary = 'credentials.json.01234567-89ab-cdef-0123-456789abcdef.tmp';

  test('is broken if its holder is dead, and what that left is removed', async () => {
    const { pid } = spawnSync('true');
    writeFileSync(`${path}.lock`, `${pid} somebody`);
    writeFileSync(join(folder, temporary), 'half of it');
    expect(await fileStore(path).replace('a', 'one', undefined)).toBe(true);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  test.each([
    ['somebody alive', `${process.pid} somebody`],
    ['nobody yet', ''],
    ['nonsense', '-1'],
  ])('is broken if it is old and names %s', async (_, holder) => {
    for (const [at, date] of [-11, 11].map(seconds => new Date(Date.now() + seconds * 1000)).entries()) {
      writeFileSync(`${path}.lock`, holder);
      utimesSync(`${path}.lock`, date, date);
      expect(await fileStore(path).replace(`${at}`, 'one', undefined)).toBe(true);
      expect(existsSync(`${path}.lock`)).toBe(false);
    }
  });

  test.each([
    ['somebody alive', `${process.pid} somebody`],
    ['nobody yet', ''],
  ])('is waited for if it is new and names %s', async (_, holder) => {
    const lock = `${path}.lock`;
    writeFileSync(lock, holder);
    let isDone = false;
    const writing = Promise.resolve(fileStore(path).replace('a', 'one', undefined)).then(() => {
      isDone = true;
    });
    // As long as some other write takes.
    await fileStore(join(folder, 'other.json')).replace('a', 'one', undefined);
    expect(isDone).toBe(false);
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(lock, 'utf8')).toBe(holder);
    rmSync(lock);
    await writing;
    expect((await fileStore(path).get('a'))?.value).toBe('one');
  });

  test('leaves files alone that only look like temporary ones', async () => {
    const others = [`x${temporary}`, `${temporary}.txt`, 'credentials.json.1.tmp', 'credentials.json.tmp'];
    for (const name of others) writeFileSync(join(folder, name), '');
    await fileStore(path).replace('a', 'one', undefined);
    expect(readdirSync(folder).sort()).toEqual([...others, 'credentials.json'].sort());
  });
});

describe('processes that share a file', () => {
  let started: Counter[] = [];
  const start = (times?: number) => {
    const counter = new Counter(path, times);
    started.push(counter);
    return counter;
  };

  afterEach(async () => {
    await Promise.all(started.map(counter => counter.end('SIGKILL')));
    started = [];
  });

  test('lose nothing of what they write', async () => {
    const { pid } = spawnSync('true');
    writeFileSync(`${path}.lock`, `${pid} somebody`);
    const counters = Array.from({ length: 4 }, () => start(WRITES));
    await Promise.all(counters.map(counter => counter.end()));
    expect(counters.map(({ counted }) => counted)).toEqual(Array(4).fill(WRITES));
    expect((await fileStore(path).get('count'))?.value).toBe(`${4 * WRITES}`);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  }, 300_000);

  test('go on if some of them are killed', async () => {
    const survivors = [start(), start()];
    const killed: Counter[] = [];
    for (const times of [1, 5, 2, 9, 3, 1, 7, 4]) {
      const victim = start();
      killed.push(victim);
      await victim.more(times);
      await victim.end('SIGKILL');
      await Promise.all(survivors.map(survivor => survivor.more(2)));
    }
    await Promise.all(survivors.map(survivor => survivor.end('SIGTERM')));
    const counted = [...survivors, ...killed].reduce((sum, counter) => sum + counter.counted, 0);
    const count = Number((await fileStore(path).get('count'))?.value);
    // Each may have been killed between writing and saying so.
    expect(count).toBeGreaterThanOrEqual(counted);
    expect(count).toBeLessThanOrEqual(counted + killed.length);
    await fileStore(path).replace('another', 'x', undefined);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  }, 300_000);

  test('lose nothing if one sleeps with the lock until others break it', async () => {
    const counters = Array.from({ length: 3 }, () => start());
    await Promise.all(counters.map(counter => counter.more(1)));
    for (let left = 80; left > 0; ) {
      await setImmediate();
      const sleeper = counters.find(({ child }) => child.pid === holder());
      if (!sleeper) continue;
      sleeper.child.kill('SIGSTOP');
      await stopped(sleeper.child.pid!);
      if (sleeper.child.pid === holder()) {
        left--;
        utimesSync(`${path}.lock`, 0, 0);
        const others = counters.filter(counter => counter !== sleeper);
        await Promise.race(others.map(other => other.more(1)));
      }
      sleeper.child.kill('SIGCONT');
    }
    await Promise.all(counters.map(counter => counter.more(1)));
    await Promise.all(counters.map(counter => counter.end('SIGTERM')));
    const counted = counters.reduce((sum, counter) => sum + counter.counted, 0);
    expect((await fileStore(path).get('count'))?.value).toBe(`${counted}`);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  }, 300_000);
});

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

async function problemOf(attempt: () => unknown): Promise<AccessError> {
  const thrown = await Promise.resolve(attempt()).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(AccessError);
  expect((thrown as AccessError).problem).toBe('store');
  return thrown as AccessError;
}

/** The process that has the lock. */
function holder(): number | undefined {
  try {
    return Number.parseInt(readFileSync(`${path}.lock`, 'utf8'), 10);
  } catch {
    return undefined;
  }
}

/** Resolves once all threads of a process have stopped: one of them may be writing. */
async function stopped(pid: number): Promise<void> {
  const isStopped = (thread: string) =>
    readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').includes(') T ');
  while (!readdirSync(`/proc/${pid}/task`).every(isStopped)) await setImmediate();
}
