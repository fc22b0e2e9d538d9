import { isObject, type JsonObject } from '../../base/json.js';
import type { ClientDescription, Result } from '../../protocol/call.js';
import type { ClientCapabilities, ServerCapabilities } from '../../protocol/capabilities.js';
import { invalidParams } from '../../protocol/errors.js';
import type { Claims } from '../../protocol/extensions.js';
import { isImplementation } from '../../protocol/request-meta.js';
import type { Service } from '../../protocol/service.js';
import { Agreement } from '../../revisions/agreement.js';
import { decodeCapabilities } from '../../revisions/decode.js';
import { encodeCapabilities, encodeImplementation } from '../../revisions/encode-declared.js';
import type { Revision } from '../../revisions/index.js';

/** The outcome of `initialize`: everything that another node needs to continue the session. */
export interface Handshake {
  revision: Revision;
  client: ClientDescription;
  /** What the two sides declared. */
  agreement: Agreement;
}

/**
 * Reads the parameters of `initialize`. A client that asks for an unknown revision gets the newest that is served. `declared` are the
 * capabilities that the server has now; features that it gets later are not part of the session.
 */
export function readHandshake(
  params: JsonObject,
  declared: ServerCapabilities,
  claims: Claims | undefined,
  served: readonly Revision[],
): Handshake {
  const asked = params.protocolVersion;
  const revision = served.find(({ name }) => name === asked) ?? (served[0] as Revision);
  return toHandshake(revision, readClient(revision, params), declared, claims);
}

export function toHandshake(
  revision: Revision,
  client: ClientDescription,
  declared: ServerCapabilities,
  claims?: Claims | undefined,
): Handshake {
  const agreement = new Agreement(revision, client.capabilities, declared, claims);
  return { revision, client, agreement };
}

/** The result of `initialize`. Throws `-32602` if a parameter is missing. */
export function completeHandshake(
  { revision, agreement }: Handshake,
  params: JsonObject,
  service: Service,
): Result {
  checkParams(params);
  return {
    protocolVersion: revision.name,
    capabilities: encodeCapabilities(revision, agreement.server ?? {}),
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
