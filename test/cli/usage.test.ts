import { describe, expect, it } from 'vitest';
import { tenon } from './run.js';

describe('tenon', () => {
  it('prints its version, which is the one in package.json', async () => {
    const { version } = (await import('../../package.json', { with: { type: 'json' } })).default;
    expect(await tenon(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('prints a help with commands, targets and exit codes', async () => {
    const { code, stdout, stderr } = await tenon(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const part of ['list', 'A target is one of', 'Exit codes:', '130  interrupted']) {
      expect(stdout).toContain(part);
    }
  });

  it('prints the same help to standard error, and fails, if no command is given', async () => {
    const { code, stdout, stderr } = await tenon([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('A target is one of');
  });

  it('proposes a command for one that is misspelled', async () => {
    const { code, stdout, stderr } = await tenon(['lst']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("unknown command 'lst'");
    expect(stderr).toContain('Did you mean list?');
  });

  it('proposes an option for one that is misspelled', async () => {
    const { code, stderr } = await tenon(['list', 'http://127.0.0.1:9/mcp', '--revison', 'x']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean --revision?');
  });

  it('refuses values of options that cannot work, and says what can', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    const refused = async (...args: string[]) => {
      const { code, stderr } = await tenon(['list', url, ...args]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused('--timeout', 'soon')).toContain('number of seconds');
    expect(await refused('--header', 'secret')).toContain('"Name: value"');
    expect(await refused('--bearer', '--json')).toContain('It is a token, and --json is an option.');
    expect(await refused('--revision', '1999-01-01')).toContain('2025-06-18');
  });

  it('reports wrong usage as JSON with --json', async () => {
    const { code, stdout } = await tenon(['list', '--json', '--nope']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('--nope'),
    });
  });

  it('says where the words for tenon stand if they follow the program', async () => {
    const { code, stderr } = await tenon(['list', '--']);
    expect(code).toBe(2);
    expect(stderr).toContain('there is no program after `--`');
  });
});
