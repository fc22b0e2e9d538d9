/**
 * A text with memory of its own. Engines cut texts out of longer ones without copying, and then the longer one stays
 * for as long as the short one is kept.
 */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}
