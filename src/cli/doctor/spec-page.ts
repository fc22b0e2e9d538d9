import { HANDSHAKE_REVISIONS, LATEST_REVISION } from 'tenon/protocol';

const ROOT = 'https://modelcontextprotocol.io/specification';

/** The newest revision that begins with `initialize`. */
export const NEWEST_HANDSHAKE = HANDSHAKE_REVISIONS[0] as string;

/** A page of the newest revision. */
export function pageOf(path: string): string {
  return `${ROOT}/${LATEST_REVISION}/${path}`;
}

/** A page of the newest revision that begins with `initialize`, for rules that later revisions do not have. */
export function handshakePageOf(path: string): string {
  return `${ROOT}/${NEWEST_HANDSHAKE}/${path}`;
}
