/** Whether the content type is JSON. */
export function isJsonType(contentType: string | undefined): boolean {
  return contentType === 'application/json' || /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

/** Whether an Accept header accepts a media type; a missing header accepts all. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const ranges = new Map(accept.split(',').map(readRange));
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  // The most specific range that matches decides, also if it has `q=0`.
  return ranges.get(type) ?? ranges.get(group) ?? ranges.get('*/*') ?? false;
}

/** Whether a client accepts both media types of a POST response, as it must: the server chooses between them. */
export function acceptsReply(accept: string | undefined): boolean {
  // Nearly every client sends exactly this.
  if (accept === 'application/json, text/event-stream') return true;
  return accepts(accept, 'application/json') && accepts(accept, 'text/event-stream');
}

/** A media range, and whether it is wanted: `q=0` excludes it. */
function readRange(text: string): [range: string, isWanted: boolean] {
  const [range = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase());
  return [range, !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))];
}
