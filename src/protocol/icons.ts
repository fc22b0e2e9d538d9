import { isObject } from '../base/json.js';

/**
 * Whether applications may show an icon. Other schemes may run code, or reach into the machine or its network.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#icons
 */
export function isSafeIcon(icon: unknown): boolean {
  return isObject(icon) && /^(https|data):/i.test(String(icon.src));
}

/** What is wrong with the icons of a server or of something that it offers; undefined if nothing. */
export function iconsProblem(icons: unknown): string | undefined {
  if (icons === undefined || (Array.isArray(icons) && icons.every(isSafeIcon))) return undefined;
  return 'icons that clients refuse; icons are a list, and the src of each begins with https: or data:';
}
