// The bistro on standard input and output, for hosts that start their servers themselves.
import { serveStdio } from 'tenon/stdio';
import { createBistro } from './server.js';
import { timing } from './timing.js';

const bistro = createBistro();
bistro.use(timing);
serveStdio(bistro);
