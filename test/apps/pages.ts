import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const MIME_TYPE = 'text/html;profile=mcp-app';

/** A page that shows a text. */
export function htmlOf(text: string): string {
  return `<!doctype html>\n<title>${text}</title>\n`;
}

/** The path of a new file outside of the project; it is removed after the test. */
export async function fileWith(content: string | Uint8Array, name = 'chart.html'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-apps-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}
