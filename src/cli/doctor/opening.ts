import type { JsonObject } from 'tenon/protocol';
import { META } from 'tenon/protocol';
import { readVersion } from '../version.js';

export const DISCOVER = 'server/discover';

const CLIENT = { name: 'tenon-doctor', title: 'Tenon doctor', version: readVersion() };

/** A request of a revision without a handshake. */
export function envelopeRequest(revision: string, method: string = DISCOVER, id = 1): JsonObject {
  const _meta = {
    [META.protocolVersion]: revision,
    [META.clientInfo]: CLIENT,
    [META.clientCapabilities]: {},
  };
  return { jsonrpc: '2.0', id, method, params: { _meta } };
}

/** The first request of a revision with a handshake. */
export function initializeRequest(protocolVersion: string): JsonObject {
  const params = { protocolVersion, capabilities: {}, clientInfo: CLIENT };
  return { jsonrpc: '2.0', id: 1, method: 'initialize', params };
}

export const INITIALIZED: JsonObject = { jsonrpc: '2.0', method: 'notifications/initialized' };
