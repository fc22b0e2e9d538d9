// The bistro on standard input and output, for hosts that start their servers themselves.
import { serveStdio } from 'tenon/stdio';
import { createBistro } from './server.ts';
import { timing } from './timing.ts';

const bistro = createBistro();
bistro.use(timing);
serveStdio(bistro);
