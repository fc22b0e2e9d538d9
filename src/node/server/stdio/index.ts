import '../../node-version.js';

export { type ErrorKind, TenonError, UsageError } from '../../../base/errors.js';
export { type RunningServer, type StdioOptions, serveStdio } from './serve.js';
