export { type ErrorKind, TenonError, UsageError } from '../base/errors.js';
export { type LoggingOptions, logging } from './logging.js';
export { type RateLimitOptions, rateLimit } from './rate-limit.js';
export { type RedactionOptions, redaction } from './redaction.js';
export { type ResponseCacheOptions, responseCache } from './response-cache.js';
export { type ResultLimitOptions, resultLimit } from './result-limit.js';
export { type RetryOptions, retry } from './retry.js';
export { type Timed, timing } from './timing.js';
