import { describe, expect, it } from 'vitest';
import { tenon } from './run.js';
import { BISTRO_PROGRAM, useBistro } from './servers.js';

describe.concurrent('a resource', () => {
  const bistro = useBistro();

  it('is printed as it is into a pipe', async () => {
    const { code, stdout, stderr } = await tenon(['read', bistro.url, 'menu://friday']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe('# friday\n\n- onion soup\n- ratatouille\n- bouillabaisse\n');
  });

  it('is printed as JSON with --json', async () => {
    const { stdout } = await tenon(['read', 'bistro://house-rules', '--json', ...BISTRO_PROGRAM]);
    expect(JSON.parse(stdout).contents).toMatchObject([
      { uri: 'bistro://house-rules', mimeType: 'text/markdown' },
    ]);
  });

  it('that is not there is explained, in every revision', async () => {
    for (const revision of ['2026-07-28', '2025-06-18']) {
      const { code, stderr } = await tenon(['read', bistro.url, 'menu://someday', '--revision', revision]);
      expect(code).toBe(1);
      expect(stderr).toContain('the server has no resource menu://someday');
      expect(stderr).toContain('tenon list');
    }
  });
});

describe.concurrent('a prompt', () => {
  const bistro = useBistro();

  it('is shown with its arguments filled in', async () => {
    const args = ['--day', 'friday', '--dish', 'quiche', '--guests', '4'];
    const { code, stdout } = await tenon(['prompt', bistro.url, 'plan_dinner', ...args]);
    expect(code).toBe(0);
    expect(stdout).toContain('user:\nPlan a dinner for 4 guests on friday, around the quiche.');
  });

  it('is printed as JSON with --json', async () => {
    const { stdout } = await tenon(['prompt', 'greet', '--json', ...BISTRO_PROGRAM]);
    expect(JSON.parse(stdout).messages).toMatchObject([{ role: 'user', content: { type: 'text' } }]);
  });

  it.each([
    ['without what it needs', ['plan_dinner', '--day', 'friday'], 'plan_dinner needs --dish'],
    ['with an argument that it does not have', ['plan_dinner', '--dsh', 'quiche'], 'Did you mean --dish?'],
    ['with arguments where it takes none', ['greet', '--loud'], 'takes no arguments'],
    ['that is misspelled', ['plan_diner'], 'Did you mean "plan_dinner"?'],
  ])('%s is refused, and the user is told what to do', async (_, args, message) => {
    const { code, stderr } = await tenon(['prompt', bistro.url, ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe.concurrent('tenon complete', () => {
  const bistro = useBistro();
  const complete = (...args: string[]) => tenon(['complete', bistro.url, ...args]);

  it('completes an argument of a prompt, with those that are known', async () => {
    expect((await complete('plan_dinner', 'dish', 'b')).stdout).toBe('bouillabaisse\n');
    const { stdout } = await complete('plan_dinner', 'dish', '--with', 'day=sunday', '--json');
    expect(JSON.parse(stdout).values).toEqual(['quiche', 'ratatouille', 'crepe']);
  });

  it('completes a variable of a resource template', async () => {
    expect((await complete('menu://{day}', 'day', 't')).stdout).toBe('tuesday\nthursday\n');
  });

  it('proposes an argument for one that is misspelled', async () => {
    const { code, stderr } = await complete('plan_dinner', 'dsh');
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean "dish"?');
  });
});

describe.concurrent('tenon listen', () => {
  const bistro = useBistro();

  it.each(['2026-07-28', '2025-06-18'])(
    'prints changes as lines of JSON until it is interrupted, in %s',
    async revision => {
      const args = ['--resource', 'bistro://orders', '--revision', revision, '--json'];
      let cooking: Promise<unknown> | undefined;
      let isDone = false;
      const { code, stdout } = await tenon(['listen', bistro.url, ...args], {
        onStderr(text) {
          if (!text.includes('listening to')) return;
          cooking ??= keepCooking(bistro.url, () => isDone);
        },
        onStdout(text, kill) {
          if (!text.includes('bistro://orders') || isDone) return;
          isDone = true;
          kill('SIGINT');
        },
      });
      expect(code).toBe(130);
      const events = stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line));
      expect(events).toContainEqual({ time: expect.any(String), kind: 'resource', uri: 'bistro://orders' });
      await cooking;
    },
  );
});

/** A subscription may become active a moment after the note, so that there has to be more than one change. */
async function keepCooking(url: string, isDone: () => boolean): Promise<void> {
  while (!isDone()) await tenon(['call', url, 'cook', '--dish', 'quiche']);
}
