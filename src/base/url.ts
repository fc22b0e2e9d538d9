/** Parses a URL; undefined if the text is none. */
export function parseUrl(text: string, base?: string): URL | undefined {
  if (!URL.canParse(text, base)) return undefined;
  try {
    return new URL(text, base);
  } catch {
    // Node's `canParse` accepts some texts with Latin-1 characters that its parser then refuses.
    return undefined;
  }
}
