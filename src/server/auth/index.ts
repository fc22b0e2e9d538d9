export type { Caller } from '../../protocol/caller.js';
export type { Protection } from '../http/protection.js';
export type { DpopOptions } from './dpop.js';
export { type IntrospectionOptions, introspection } from './introspection.js';
export { type JwtOptions, jwt } from './jwt.js';
export { type ProtectOptions, protect, type VerifyFunction } from './protect.js';
export { InvalidToken, type VerifiedToken, type Verifier, VerifierUnavailable } from './verifier.js';
