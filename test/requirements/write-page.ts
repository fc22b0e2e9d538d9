// `npm run docs:conformance` writes docs/conformance.md.
import { writeFile } from 'node:fs/promises';
import { writePage } from './page.js';
import { readRequirements } from './requirement.js';
import { ROOT, readTags } from './tags.js';

await writeFile(`${ROOT}/docs/conformance.md`, writePage(await readRequirements(), await readTags()));
