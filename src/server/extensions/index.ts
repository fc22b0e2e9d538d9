export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export type { JsonObject } from '../../base/json.js';
export type { Extension } from '../extension.js';
export { type ExtensionDefinition, extension } from './define.js';
export { type ExtensionMethod, type ExtensionNotification, method, notification } from './messages.js';
export { type MetaAccessor, metaAccessor } from './meta-accessor.js';
export { type ExtensionNotice, notice } from './notices.js';
export { extensionResult } from './results.js';
