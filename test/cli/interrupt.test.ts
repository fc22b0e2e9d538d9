import { describe, expect, it } from 'vitest';
import { processesWith } from './processes.js';
import { tenon } from './run.js';
import { badProgram } from './servers.js';
import { KEY, Terminal } from './terminal.js';

describe.concurrent('Ctrl+C', () => {
  it.each([
    ['a program starts', 'silent', 'list', []],
    ['a call hangs', 'hangs in a call', 'call', ['hello']],
    ['a program floods standard error', 'floods', 'listen', ['--resource', 'a://b']],
  ])('while %s ends with 130 and leaves no program running', async (_, way, command, args) => {
    const mark = `mark-${command}-${process.pid}`;
    let isSent = false;
    const { code, stdout, stderr } = await tenon([command, ...args, '--verbose', ...badProgram(way), mark], {
      onStderr(text, kill) {
        const isReady = command === 'call' ? text.includes('connected to') : text.includes('probing');
        if (!isReady || isSent) return;
        isSent = true;
        kill('SIGINT');
      },
    });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).not.toContain('error:');
    expect(await processesWith(mark)).toEqual([]);
  });

  it('ends a listening command in a terminal', async () => {
    const terminal = new Terminal(['listen', ...badProgram('logging')]);
    await terminal.sees('hello from the log');
    await terminal.sees('listening to the log');
    terminal.type(KEY.ctrlC);
    expect(await terminal.exited).toBe(130);
  });

  it('is what a reader of a pipe does that has seen enough', async () => {
    const { execFile } = await import('node:child_process');
    const { TENON, ROOT, cleanEnv } = await import('./run.js');
    const line = `'${process.execPath}' '${TENON}' list ${badProgram('large')
      .map(word => `'${word}'`)
      .join(' ')} | head -3`;
    const output = await new Promise<string>((resolve, reject) =>
      execFile('sh', ['-c', line], { cwd: ROOT, env: cleanEnv() }, (error, stdout, stderr) =>
        error ? reject(error) : resolve(stdout + stderr),
      ),
    );
    expect(output.split('\n')).toHaveLength(4);
    expect(output).not.toContain('EPIPE');
  });
});
