import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Transport } from '../../src/client/index.js';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import type { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';

/** A client's transport to the stdio door of a server, over real streams in this process. */
export function pipeTo(server: Server): Transport {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = serveStdio(server, { input, output, keys: freshKeys(), graceMs: 0 });
  onTestFinished(() => serving.close(0));
  return {
    async start(receive) {
      let rest = '';
      output.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() as string;
        for (const line of lines) receive(line);
      });
    },
    send(text) {
      input.write(`${text}\n`);
    },
    async close() {
      input.end();
    },
  };
}
