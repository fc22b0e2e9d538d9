import { isObject, type JsonObject } from '../base/json.js';

/**
 * Whether applications may show an icon. Other schemes may run code, or reach into the machine or its network.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#icons
 */
export function isSafeIcon(icon: unknown): boolean {
  return isObject(icon) && /^(https|data):/i.test(String(icon.src));
}

/** What is wrong with the icons of a server or of something that it offers; undefined if nothing. */
export function iconsProblem(icons: unknown): string | undefined {
  if (icons === undefined) return undefined;
  if (!Array.isArray(icons) || !icons.every(isSafeIcon))
    return 'icons that clients refuse; icons are a list, and the src of each begins with https: or data:';
  if (icons.every(hasValidDetails)) return undefined;
  return 'icons that clients refuse; sizes is a list such as ["48x48"], mimeType a text, theme "light" or "dark"';
}

function hasValidDetails({ sizes = [], mimeType = '', theme = 'light' }: JsonObject): boolean {
  const isWhole = Array.isArray(sizes) && [mimeType, ...sizes].every(text => typeof text === 'string');
  return isWhole && (theme === 'light' || theme === 'dark');
}
