export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export type { JsonObject } from '../../base/json.js';
export type {
  CallContext,
  ClientExtension,
  OwnCall,
  OwnMethod,
  OwnNotification,
  OwnResultType,
  ResultContext,
} from '../extension.js';
export { answer, notification, resultType } from './parts.js';
