export type { Protection } from '../http/protection.js';
export type { Auth } from '../protocol/auth.js';
export type { DpopOptions } from './server/dpop.js';
export { type IntrospectionOptions, introspection } from './server/introspection.js';
export { type JwtOptions, jwt } from './server/jwt.js';
export { type ProtectOptions, protect, type VerifyFunction } from './server/protect.js';
export { InvalidToken, type VerifiedToken, type Verifier } from './server/verifier.js';
