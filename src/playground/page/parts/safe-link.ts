/** The address of a link from a server, if a browser may follow it: never a script, never data. */
export function safeLink(address: string): URL | undefined {
  const url = readUrl(address);
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined;
}

/** A text as a URL, if it is one. */
export function readUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
