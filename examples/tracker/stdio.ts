// The issue tracker on standard input and output, for hosts that start their servers themselves.
import { serveStdio } from 'tenon/stdio';
import { Issues } from './database.ts';
import { createTracker } from './server.ts';

const [file = 'issues.db'] = process.argv.slice(2);
serveStdio(createTracker(new Issues(file)));
