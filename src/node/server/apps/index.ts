import '../../node-version.js';

import { type App, createApp } from '../../../server/apps/app.js';
import type { AppOptions } from '../../../server/apps/options.js';
import type { InlinePage } from '../../../server/apps/page.js';
import { readSource } from '../../../server/apps/source.js';
import { FilePage } from './file-page.js';

export { showsApps, TenonError, UsageError, visibleTo } from '../../../server/apps/index.js';

/**
 * Makes a page that hosts show for a tool: from a file, or from HTML.
 *
 * @example
 * server.tool('chart', { ui: app('./chart.html') }, () => 'The user sees a chart.');
 */
export function app(page: string | URL | InlinePage, options?: AppOptions): App {
  return createApp(
    readSource(page, file => new FilePage(file)),
    options,
  );
}
