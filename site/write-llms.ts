import { writeFileSync } from 'node:fs';
import { writeLlms } from './llms.js';
import { ROOT } from './pages.js';

// Writes llms.txt and llms-full.txt again, from the pages.
for (const [path, text] of writeLlms()) writeFileSync(`${ROOT}/${path}`, text);
