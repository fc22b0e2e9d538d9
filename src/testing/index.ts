export { type ErrorKind, TenonError, UsageError } from '../base/errors.js';
export { connectTest, type TestClient, type TestClientOptions } from './client.js';
