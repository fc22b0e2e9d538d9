import type { Icon } from 'tenon';

/** An icon made of one emoji, carried in its own URL. */
export function icon(emoji: string): Icon {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text y=".9em" font-size="90">${emoji}</text></svg>`;
  return { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, mimeType: 'image/svg+xml', sizes: ['any'] };
}
