import { createSignal } from 'solid-js';
import { linkTo, type Place, readPlace, type Subject } from './place.js';

const KEY_ITEM = 'tenon.key';

const [place, setPlace] = createSignal<Place>(readPlace(location.hash));

export { place };

addEventListener('hashchange', () => setPlace(readPlace(location.hash)));

/**
 * The secret of the page. It comes in the address, and is moved from there to the storage of this browser, so that it is
 * not seen or copied by accident, and links to a form also work in other tabs. It is worth nothing after the process ended.
 */
export function takeKey(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const key = fragment.get('key');
  if (key === null) return localStorage.getItem(KEY_ITEM) ?? undefined;
  localStorage.setItem(KEY_ITEM, key);
  history.replaceState(null, '', linkTo(place()));
  return key;
}

/** The link to a thing of the server, on the connections of now. */
export function linkToSubject(subject: Subject): string {
  const { revision, compare } = place();
  return linkTo({ subject, revision, compare });
}

/** Moves to a place; the browser's back button returns. */
export function go(next: Place): void {
  location.hash = linkTo(next);
}
