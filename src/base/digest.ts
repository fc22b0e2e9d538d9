import { encodeBase64Url } from './base64.js';

/** The SHA-256 of a text, as base64url. */
export async function digest(text: string): Promise<string> {
  return encodeBase64Url(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))),
  );
}
