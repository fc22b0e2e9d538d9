import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { ROOT } from '../architecture/sources.js';
import { FOLDER, referencePages } from './pages.js';

// Writes docs/reference/ again, from the built declarations.
const pages = referencePages();
rmSync(`${ROOT}/${FOLDER}`, { recursive: true, force: true });
mkdirSync(`${ROOT}/${FOLDER}`, { recursive: true });
for (const [path, text] of pages) writeFileSync(`${ROOT}/${path}`, text);
