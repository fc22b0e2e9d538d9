// Builds the page of the playground. Everything it needs is in a few files: no inline script or style, no other host.
import { build } from 'vite';
import solid from 'vite-plugin-solid';

await build({
  configFile: false,
  root: 'src/playground/page',
  base: './',
  logLevel: 'warn',
  plugins: [solid()],
  build: {
    outDir: '../../../dist/playground',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
