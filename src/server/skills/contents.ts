import type { LooseContents } from '../registry/resources.js';
import { mimeTypeOf } from './mime-types.js';

/** The contents of a file as clients get them: as text if that keeps every byte, so that digests fit, else as bytes. */
export function contentsOf(uri: string, content: string | Uint8Array): LooseContents {
  const known = mimeTypeOf(uri);
  const text = typeof content === 'string' ? content : readText(content);
  if (text === undefined)
    return { blob: content as Uint8Array, mimeType: known ?? 'application/octet-stream' };
  return { text, mimeType: known ?? 'text/plain' };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
