import { For } from 'solid-js';
import { setTheme, THEMES, theme } from '../state/theme.js';

const SIGNS = { system: '◐', light: '☀', dark: '☾' } as const;

/** Light, dark, or what the system says. */
export function ThemeSwitch() {
  return (
    <fieldset class="segments themes">
      <legend class="visually-hidden">Theme</legend>
      <For each={THEMES}>
        {one => (
          <label title={one}>
            <input
              type="radio"
              name="theme"
              aria-label={one}
              checked={theme() === one}
              onChange={() => setTheme(one)}
            />
            <span aria-hidden="true">{SIGNS[one]}</span>
          </label>
        )}
      </For>
    </fieldset>
  );
}
