import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Puts `views/<name>.ts`, with all that it imports, into `views/<name>.html`: hosts show pages of one file. */
export async function bundleView(name: string): Promise<string> {
  const html = await readFile(new URL(`views/${name}.html`, import.meta.url), 'utf8');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`views/${name}.ts`, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  // In HTML, this text would end the script.
  const script = outputFiles[0]?.text.replaceAll('</script', '<\\/script');
  return html.replace(
    `<script type="module" src="${name}.ts"></script>`,
    () => `<script type="module">${script}</script>`,
  );
}
