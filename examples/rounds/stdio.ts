// The travel desk on standard input and output, for hosts that start their servers themselves.
import { serveStdio } from 'tenon/stdio';
import { createTravelDesk } from './server.ts';

serveStdio(createTravelDesk());
