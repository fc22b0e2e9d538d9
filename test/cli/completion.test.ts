import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tenon } from './run.js';

const run = promisify(execFile);

/** What bash proposes for a line. */
async function proposals(...words: string[]): Promise<string[]> {
  const { stdout: script } = await tenon(['completion', 'bash']);
  const list = words.map(word => `'${word}'`).join(' ');
  const program = `tenon() { echo cursor:bistro; }\n${script}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _tenon; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['--norc', '-c', program]);
  return stdout.split('\n').filter(Boolean);
}

describe.concurrent('tenon completion', () => {
  it('completes commands, options, choices and names of servers in bash', async () => {
    expect(await proposals('tenon', 'co')).toEqual(['complete', 'config', 'completion']);
    expect(await proposals('tenon', 'list', '--rev')).toEqual(['--revision']);
    expect(await proposals('tenon', 'list', 'x', 'pro')).toEqual(['prompts']);
    expect(await proposals('tenon', 'call', 'curs')).toEqual(['cursor:bistro']);
  });

  it.each(['bash', 'zsh', 'fish'])('names every command and its options for %s', async shell => {
    const { code, stdout, stderr } = await tenon(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['list', 'call', 'listen', 'revision', 'sample', 'tenon completion names']) {
      expect(stdout).toContain(word);
    }
  });

  it('refuses other shells', async () => {
    const { code, stderr } = await tenon(['completion', 'cmd']);
    expect(code).toBe(2);
    expect(stderr).toContain('bash, zsh, fish');
  });
});
