export { type Serving, type StdioOptions, serveStdio } from './serve.js';
