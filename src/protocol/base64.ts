// btoa takes one character per byte; a call per chunk keeps the argument list of fromCharCode short.
const CHUNK = 0x2000;

/** Bytes as base64, as binary contents travel. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

/** Bytes as base64 that needs no escaping in a header, a URL or a cookie. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The inverse of `encodeBase64Url`; undefined for anything that it cannot have made. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), char =>
      char.charCodeAt(0),
    );
    return encodeBase64Url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
