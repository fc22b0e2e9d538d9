import { describe, expect, it } from 'vitest';
import { tenon } from './run.js';
import { BISTRO_PROGRAM, badProgram, useBistro } from './servers.js';

describe.concurrent('tenon list', () => {
  const bistro = useBistro();

  it('lists everything that a server offers, over HTTP', async () => {
    const { code, stdout, stderr } = await tenon(['list', bistro.url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Chez Tenon 1.0.0  2026-07-28');
    for (const line of [
      'Tools (11)',
      'reserve <table> <guests> <name>',
      'list_tables [seats]',
      'Resources (3)',
      'bistro://orders',
      'Templates (1)',
      'menu://{day}',
      'Prompts (3)',
      'plan_dinner <day> <dish> [guests]',
    ]) {
      expect(stdout).toContain(line);
    }
  });

  it('lists one kind of a program over stdio, as JSON', async () => {
    const { code, stdout, stderr } = await tenon(['list', 'prompts', '--json', ...BISTRO_PROGRAM]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { prompts, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({});
    expect(prompts.map(({ name }: { name: string }) => name)).toEqual([
      'plan_dinner',
      'describe_dish',
      'greet',
    ]);
  });

  it('speaks the revision that the user chooses', async () => {
    const { stdout } = await tenon(['list', bistro.url, '--revision', '2025-06-18', '--json']);
    expect(JSON.parse(stdout).server).toMatchObject({ name: 'bistro', revision: '2025-06-18' });
  });

  it('finds entries by a text', async () => {
    const { stdout } = await tenon(['list', bistro.url, 'tools', '--search', 'TABLE']);
    expect(stdout).toContain('Tools (2)');
    expect(stdout).toContain('list_tables');
    expect(stdout).not.toContain('ring_bell');
  });

  it('shows one tool with its arguments', async () => {
    const { stdout } = await tenon(['list', bistro.url, 'tools', 'reserve']);
    expect(stdout).toMatch(/--guests +integer, at least 1 +required/);
  });

  it('proposes a tool for one that is misspelled', async () => {
    const { code, stderr } = await tenon(['list', bistro.url, 'tools', 'reserv']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean "reserve"?');
  });

  it('says so if the server does not have this kind', async () => {
    const { code, stderr } = await tenon(['list', 'prompts', ...badProgram('noisy')]);
    expect(code).toBe(1);
    expect(stderr).toContain('prompts');
    expect(stderr).toContain('next: Run `tenon list`');
  });

  it('lists ten thousand tools into a pipe', async () => {
    const { code, stdout } = await tenon(['list', 'tools', ...badProgram('large')]);
    expect(code).toBe(0);
    expect(stdout).toContain('Tools (10,000)');
    expect(stdout).toContain('tool_9999');
  });

  it('removes what could control the terminal from texts of servers', async () => {
    const { code, stdout } = await tenon(['list', ...badProgram('hostile')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ evil +cleared red txet\n/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });
});
