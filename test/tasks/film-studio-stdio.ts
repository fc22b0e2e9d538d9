import { serveStdio } from '../../src/node/server/stdio/index.js';
import { createFilmStudio } from './film-studio.js';

serveStdio(createFilmStudio());
