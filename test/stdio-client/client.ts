import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { SpawnOptions } from '../../src/node/client/process/spawn.js';
import { program } from '../programs/program.js';
import { fixturePath } from './opened.js';

/** What a client in a process of its own has seen. */
export interface ClientReport {
  message: string;
  problems: string[];
  /** The most memory that it held, in bytes. */
  peak: number;
  /** What kept the process alive, before and after. */
  before: string[];
  after: string[];
  errors: string;
  code: number;
}

/** Runs a client that starts a command, waits for a message (unless it exits at once), and ends in one of these ways. */
export async function runClient(
  command: SpawnOptions,
  then: 'close' | 'exit' | 'exit at once' | 'throw',
  nodeOptions: readonly string[] = [],
): Promise<ClientReport> {
  const args = [...nodeOptions, program(fixturePath('client.mjs')), JSON.stringify(command), then];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (output === '') throw new Error(`the client failed:\n${errors}`);
  return { ...JSON.parse(output), errors, code };
}
