/** The address of a link from a server, if a browser may follow it: never a script, never data. */
export function safeLink(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined;
}
