/** Whether a body claims to be JSON. */
export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

/** Whether an Accept header takes a media type; a missing header takes all. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  return accept.split(',').some(part => {
    const [range, ...parameters] = part.split(';').map(text => text.trim().toLowerCase());
    if (range !== type && range !== group && range !== '*/*') return false;
    return !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** What clients must accept for a POST: the server chooses between the two. */
export function acceptsReply(accept: string | undefined): boolean {
  // What nearly every client sends.
  if (accept === 'application/json, text/event-stream') return true;
  return accepts(accept, 'application/json') && accepts(accept, 'text/event-stream');
}
