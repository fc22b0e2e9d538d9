import { theme } from '../state/theme.js';

/** The variables of the specification, and those of this page that have the same meaning. */
const VARIABLES = {
  '--color-background-primary': '--surface',
  '--color-background-secondary': '--raised',
  '--color-background-tertiary': '--ground',
  '--color-background-info': '--accent-soft',
  '--color-background-danger': '--bad-soft',
  '--color-background-success': '--good-soft',
  '--color-text-primary': '--text',
  '--color-text-secondary': '--muted',
  '--color-text-info': '--accent',
  '--color-text-danger': '--bad',
  '--color-text-success': '--good',
  '--color-border-primary': '--line-strong',
  '--color-border-secondary': '--line',
  '--color-ring-primary': '--accent',
  '--font-sans': '--font',
  '--font-mono': '--mono',
  '--border-radius-sm': '--radius-small',
  '--border-radius-md': '--radius',
} as const;

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The look of the page as apps should take it up. */
export function look(): Record<string, unknown> {
  const isDark = theme() === 'dark' || (theme() === 'system' && systemIsDark.matches);
  const own = getComputedStyle(document.documentElement);
  const variables = Object.fromEntries(
    Object.entries(VARIABLES).map(([name, ours]) => [name, own.getPropertyValue(ours).trim()]),
  );
  return { theme: isDark ? 'dark' : 'light', styles: { variables } };
}
