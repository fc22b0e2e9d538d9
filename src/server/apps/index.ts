import { UsageError } from '../../base/errors.js';
import { type App, createApp } from './app.js';
import type { AppOptions } from './options.js';
import type { InlinePage } from './page.js';
import { readSource } from './source.js';

export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export type { AppCsp, AppPermission, AppVisibility } from '../../protocol/apps.js';
export type { ToolUi } from '../registry/tools.js';
export { type App, visibleTo } from './app.js';
export type { AppOptions } from './options.js';
export type { InlinePage } from './page.js';
export { showsApps } from './shows-apps.js';

/**
 * Makes a page that hosts show for a tool: from a file, on Node, or from HTML. A file is watched, and clients hear of
 * changes. A relative path begins in the working directory; a URL is better: `new URL('chart.html', import.meta.url)`.
 *
 * @example
 * server.tool('chart', { ui: app('./chart.html') }, () => 'The user sees a chart.');
 *
 * @example
 * const clock = app({ html: '<!doctype html><p>12:00</p>' }, { prefersBorder: true });
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export function app(page: string | URL | InlinePage, options?: AppOptions): App {
  return createApp(
    readSource(page, () => {
      throw new UsageError('app reads a file on Node only; here it needs the page itself: app({ html })');
    }),
    options,
  );
}
