import type { ClientCapabilities, Implementation } from '../../../protocol/capabilities.js';

/** The contents of a session id. A list, and times in seconds, because the id travels with every request. */
export type SessionClaims = [
  revision: string,
  issuedAt: number,
  capabilities: ClientCapabilities,
  client: ClaimedClient | null,
  declared: number,
];

/** Icons are left out: they can be larger than an id may be. */
export type ClaimedClient = [name: string, version: string, ...more: (string | null)[]];

/**
 * The capabilities that the protocol knows, for a client whose others are too large for a session id. Its extensions
 * then are as if they had not been declared.
 */
export function essential({ roots, sampling, elicitation }: ClientCapabilities): ClientCapabilities {
  const { context, tools } = sampling ?? {};
  const { form, url } = elicitation ?? {};
  return {
    ...(roots && { roots: { ...(roots.listChanged === true && { listChanged: true }) } }),
    ...(sampling && { sampling: { ...(context && { context: {} }), ...(tools && { tools: {} }) } }),
    ...(elicitation && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
  };
}

export function claimClient({
  name,
  version,
  title,
  description,
  websiteUrl,
}: Implementation): ClaimedClient {
  const more = [title, description, websiteUrl].map(text =>
    typeof text === 'string' ? text.slice(0, 300) : null,
  );
  const length = more.findLastIndex(text => text !== null) + 1;
  return [name.slice(0, 200), version.slice(0, 50), ...more.slice(0, length)];
}

export function readClient([name, version, title, description, websiteUrl]: ClaimedClient): Implementation {
  return {
    name,
    version,
    ...(title && { title }),
    ...(description && { description }),
    ...(websiteUrl && { websiteUrl }),
  };
}
