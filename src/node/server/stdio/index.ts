export { type ErrorKind, TenonError, UsageError } from '../../../base/errors.js';
export { type Serving, type StdioOptions, serveStdio } from './serve.js';
