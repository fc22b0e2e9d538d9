/** One character of a URI, as written (always ASCII) and decoded. */
export interface Unit {
  raw: string;
  value: string;
}

/** Decodes percent-encoding; undefined if it is malformed or not UTF-8. */
export function readUnits(text: string): Unit[] | undefined {
  const units: Unit[] = [];
  try {
    const ascii = text.replace(/[\u0080-\uffff]+/g, piece => encodeURIComponent(piece));
    for (let at = 0; at < ascii.length; at++) {
      const plain = PLAIN[ascii.charCodeAt(at)] as Unit;
      if (plain.raw !== '%') {
        units.push(plain);
        continue;
      }
      OCTETS.lastIndex = at;
      const [octets] = OCTETS.exec(ascii) ?? ['%'];
      for (const unit of decodeOctets(octets)) units.push(unit);
      at += octets.length - 1;
    }
    return units;
  } catch {
    return undefined;
  }
}

const OCTETS = /(?:%[0-9A-Fa-f]{2})+/y;

/** The characters that stand for themselves. They are shared, because a URI may have thousands. */
const PLAIN: readonly Unit[] = Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return { raw: char, value: char };
});

/** @param octets a run of encoded octets; throws a `URIError` if these are not UTF-8 */
function decodeOctets(octets: string): Unit[] {
  let at = 0;
  return [...decodeURIComponent(octets)].map(value => {
    const from = at;
    at += 3 * countOctets(value);
    return { raw: octets.slice(from, at), value };
  });
}

function countOctets(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
