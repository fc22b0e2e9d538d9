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
  const isValid = (icon: unknown) => isSafeIcon(icon) && hasValidDetails(icon as JsonObject);
  if (icons === undefined || (Array.isArray(icons) && icons.every(isValid))) return undefined;
  return 'icons that clients refuse; icons are a list, src begins with https: or data:, sizes is a list such as ["48x48"], theme light or dark';
}

function hasValidDetails({ sizes = [], mimeType = '', theme = 'light' }: JsonObject): boolean {
  const isWhole = Array.isArray(sizes) && [mimeType, ...sizes].every(text => typeof text === 'string');
  return isWhole && (theme === 'light' || theme === 'dark');
}
