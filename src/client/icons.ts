import { quoteBriefly } from '../base/json.js';
import { isSafeIcon } from '../protocol/icons.js';

type Warn = (message: string) => void;

/** The clients that were warned: a server may send any number of such icons. */
const warned = new WeakSet<Warn>();

/** Removes the icons that applications must not show from something that a server described. */
export function removeUnsafeIcons(described: { icons?: unknown }, warn: Warn): void {
  if (described.icons === undefined) return;
  const icons = Array.isArray(described.icons) ? described.icons : [undefined];
  const safe = icons.filter(isSafeIcon);
  if (safe.length === icons.length) return;
  described.icons = safe;
  if (warned.has(warn)) return;
  warned.add(warn);
  const unsafe = icons.find(icon => !isSafeIcon(icon));
  warn(
    `icons of the server are left out, because only https: and data: are safe to show, unlike ${quoteBriefly(unsafe?.src)}`,
  );
}
