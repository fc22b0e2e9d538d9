import '../../node-version.js';

export { type RunningServer, type StdioOptions, serveStdio } from './serve.js';
