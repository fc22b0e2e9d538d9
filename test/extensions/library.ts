import { serveStdio } from '../../src/node/server/stdio/index.js';
import { createLibrary } from './catalog.js';

// Standard error carries what the extension heard, so that a test can see it.
serveStdio(createLibrary(book => console.error(`opened ${book}`)));
