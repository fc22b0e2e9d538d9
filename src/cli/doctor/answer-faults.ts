import { type JsonObject, readDiscoverResult } from 'tenon/protocol';
import { isObject } from '../is-object.js';
import type { Finding } from './finding.js';
import { handshakePageOf, pageOf } from './spec-page.js';

/** What is wrong with the result of `server/discover`. */
export function discoveryFaults(result: JsonObject): string[] {
  const { resultType, supportedVersions, capabilities, ttlMs, cacheScope } = result;
  if (!readDiscoverResult(result)) {
    if (!Array.isArray(supportedVersions)) return ['there is no list "supportedVersions"'];
    return isObject(capabilities)
      ? ['"supportedVersions" must contain strings']
      : ['there is no "capabilities"'];
  }
  return [
    ...(typeof resultType === 'string' ? [] : ['there is no "resultType"']),
    ...(typeof ttlMs === 'number' && ttlMs >= 0 ? [] : ['"ttlMs" must be a number that is not negative']),
    ...(cacheScope === 'public' || cacheScope === 'private'
      ? []
      : ['"cacheScope" must be "public" or "private"']),
  ];
}

/** What is wrong with the result of `initialize`. */
export function greetingFaults({ capabilities, serverInfo }: JsonObject): string[] {
  const { name, version } = isObject(serverInfo) ? serverInfo : {};
  const isNamed = typeof name === 'string' && typeof version === 'string';
  return [
    ...(isObject(capabilities) ? [] : ['there is no "capabilities"']),
    ...(isNamed ? [] : ['"serverInfo" must have a "name" and a "version"']),
  ];
}

/** The finding for faults of an answer, if there are any. */
export function invalidAnswer(method: string, revision: string, faults: readonly string[]): Finding[] {
  if (faults.length === 0) return [];
  const page =
    method === 'initialize' ? handshakePageOf('basic/lifecycle#initialization') : pageOf('server/discover');
  return [
    {
      cause: 'invalid-answer',
      severity: 'error',
      title: `the answer to ${method} is not as ${revision} wants it`,
      detail: `Found in it: ${faults.join('; ')}.`,
      page,
      todo: 'Update the SDK of the server, or correct the answer.',
    },
  ];
}
