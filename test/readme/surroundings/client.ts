import { writeFileSync } from 'node:fs';
import { connect, type SamplingMessage } from 'tenon/client';
import { z } from 'zod';
import { bistro, bistroUrl } from './bistro.js';

export { connect, z };

export const url = bistroUrl;

export const client = await connect(url, {
  onElicit: () => ({ action: 'accept', content: { guests: 2 } }),
});
export const askModel = async (_messages: SamplingMessage[]): Promise<string> => 'A fine soup.';
export const confirm = async (_question: string): Promise<boolean> => true;
export const showForm = async (_message: string, _schema: object) => ({ guests: 2 });
let saved = '';
export const store = {
  save: async (text: string) => {
    saved = text;
  },
  load: async () => saved,
};

for (const [file, tool] of [
  ['server.js', 'seat'],
  ['files.js', 'read'],
]) {
  const code = `
    import { Server } from 'tenon';
    import { serveStdio } from 'tenon/stdio';
    const server = new Server({ name: '${tool}', version: '1.0.0' });
    server.tool('${tool}', { input: { type: 'object', properties: { path: { type: 'string' } } } }, () => 'ok');
    serveStdio(server);`;
  writeFileSync(file as string, code);
}

export const isEnough = (): boolean => true;

// So that a loop over changes sees one.
setInterval(() => bistro.resourceChanged('menu://today'), 20).unref();
