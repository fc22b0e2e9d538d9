/** Whether a body claims to be JSON. */
export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

/** Whether an Accept header takes a media type; a missing header takes all. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const ranges = new Map(accept.split(',').map(readRange));
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  // The most specific range that fits decides, also if it says no.
  return ranges.get(type) ?? ranges.get(group) ?? ranges.get('*/*') ?? false;
}

/** What clients must accept for a POST: the server chooses between the two. */
export function acceptsReply(accept: string | undefined): boolean {
  // What nearly every client sends.
  if (accept === 'application/json, text/event-stream') return true;
  return accepts(accept, 'application/json') && accepts(accept, 'text/event-stream');
}

/** A range of media types, and whether it is wanted: `q=0` says that it is not. */
function readRange(text: string): [range: string, isWanted: boolean] {
  const [range = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase());
  return [range, !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))];
}
