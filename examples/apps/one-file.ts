import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const STYLES = /<link rel="stylesheet" href="([^"]+)" ?\/?>/;
const SCRIPT = /<script type="module" src="([^"]+)"><\/script>/;

/** A page with its styles, its script, and all that the script imports: hosts show pages of one file. */
export async function inOneFile(page: URL): Promise<string> {
  const html = await readFile(page, 'utf8');
  const [styles, script] = [STYLES.exec(html)?.[1], SCRIPT.exec(html)?.[1]];
  const [style = '', code = ''] = await Promise.all([
    styles && readFile(new URL(styles, page), 'utf8'),
    script && bundle(new URL(script, page)),
  ]);
  return html
    .replace(STYLES, () => `<style>${style}</style>`)
    .replace(SCRIPT, () => `<script type="module">${code}</script>`);
}

async function bundle(script: URL): Promise<string | undefined> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(script)],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  // In HTML, this text would end the script.
  return outputFiles[0]?.text.replaceAll('</script', '<\\/script');
}
