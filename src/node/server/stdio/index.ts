import '../../node-version.js';

export { type Serving, type StdioOptions, serveStdio } from './serve.js';
