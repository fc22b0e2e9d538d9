import { createEffect, createSignal } from 'solid-js';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const ITEM = 'tenon.theme';
const stored = THEMES.find(theme => theme === localStorage.getItem(ITEM));
const [theme, setTheme] = createSignal<Theme>(stored ?? 'system');

export { setTheme, theme };

/** Keeps the document and the storage in step with the theme. */
export function applyTheme(): void {
  createEffect(() => {
    document.documentElement.dataset.theme = theme();
    localStorage.setItem(ITEM, theme());
  });
}
