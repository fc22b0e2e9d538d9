import { isObject, type JsonObject } from '../../base/json.js';
import type { ClientDescription, Result } from '../../protocol/call.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { invalidParams } from '../../protocol/errors.js';
import { isImplementation } from '../../protocol/request-meta.js';
import type { Service } from '../../protocol/service.js';
import { decodeCapabilities } from '../../revisions/decode.js';
import { encodeCapabilities, encodeImplementation } from '../../revisions/encode.js';
import { LEGACY, type Revision } from '../../revisions/index.js';

/** The outcome of `initialize`: everything that another node needs to continue the session. */
export interface Handshake {
  revision: Revision;
  client: ClientDescription;
}

/** Reads the parameters of `initialize`. A client that asks for an unknown revision gets our newest. */
export function readHandshake(params: JsonObject): Handshake {
  const asked = params.protocolVersion;
  const revision = LEGACY.find(({ name }) => name === asked) ?? (LEGACY[0] as Revision);
  return { revision, client: readClient(revision, params) };
}

/** The result of `initialize`. Throws `-32602` if a parameter is missing. */
export function completeHandshake({ revision }: Handshake, params: JsonObject, service: Service): Result {
  checkParams(params);
  return {
    protocolVersion: revision.name,
    capabilities: encodeCapabilities(revision, service.capabilities()),
    serverInfo: encodeImplementation(revision, service.info),
    ...(service.instructions !== undefined && { instructions: service.instructions }),
  };
}

function readClient(revision: Revision, params: JsonObject): ClientDescription {
  const capabilities = (isObject(params.capabilities) ? params.capabilities : {}) as ClientCapabilities;
  return {
    info: isImplementation(params.clientInfo) ? params.clientInfo : undefined,
    capabilities: decodeCapabilities(revision, capabilities),
  };
}

function checkParams(params: JsonObject): void {
  if (typeof params.protocolVersion !== 'string') throw invalidParams('initialize needs a protocolVersion');
  if (!isObject(params.capabilities)) throw invalidParams('initialize needs the capabilities of the client');
  if (!isImplementation(params.clientInfo))
    throw invalidParams('initialize needs clientInfo with name and version');
}
