import { listen, type RunningHttpServer } from 'tenon/node';
import { afterAll, beforeAll } from 'vitest';
import { createBistro } from '../../examples/bistro/server.js';
import { freshKeys } from '../keys.js';
import { program } from '../programs/program.js';

/** Arguments that start the bistro over stdio. */
export const BISTRO_PROGRAM = ['--', process.execPath, program('examples/bistro/stdio.ts')];

/** Arguments that start a program that behaves badly in one way. */
export function badProgram(way: string): string[] {
  return ['--', process.execPath, 'test/cli/fixtures/bad-server.mjs', way];
}

/** A bistro over HTTP for all tests of a file. */
export function useBistro(): { readonly url: string } {
  let bistro: RunningHttpServer;
  beforeAll(async () => {
    bistro = await listen(createBistro(), { port: 0, keys: freshKeys() });
  });
  afterAll(() => bistro?.close());
  return {
    get url() {
      return bistro.url;
    },
  };
}
