/** One character of a URI, as written (always ASCII) and decoded. */
export interface Unit {
  raw: string;
  value: string;
}

/** Decodes percent-encoding; undefined if it is malformed or not UTF-8. */
export function readUnits(text: string): Unit[] | undefined {
  try {
    const ascii = text.replace(/[\u0080-\uffff]+/g, piece => encodeURIComponent(piece));
    return [...ascii.matchAll(/(?:%[0-9A-Fa-f]{2})+|./gs)].flatMap(([piece]) => decodePiece(piece));
  } catch {
    return undefined;
  }
}

/** @param piece one character, or a run of encoded octets; throws a `URIError` if these are not UTF-8 */
function decodePiece(piece: string): Unit[] {
  let at = 0;
  return [...decodeURIComponent(piece)].map(value => {
    const from = at;
    at += piece.length === 1 ? 1 : 3 * countOctets(value);
    return { raw: piece.slice(from, at), value };
  });
}

function countOctets(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
