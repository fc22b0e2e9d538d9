import { buildSite } from './build.js';
import { ROOT } from './pages.js';

const { pages, bytes } = await buildSite(`${ROOT}/site/dist`);
console.error(`site/dist: ${pages} pages, ${Math.round(bytes / 1024)} KB; open site/dist/index.html`);
