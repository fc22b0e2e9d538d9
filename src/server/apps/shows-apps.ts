import type { JsonObject } from '../../base/json.js';
import { APPS_ID, showsPages } from '../../protocol/apps.js';
import { findRevision } from '../../revisions/index.js';

/**
 * Whether the host of a call says that it shows apps, so that a tool can give others more text. Every tool with an app
 * should give text that makes sense without the page: the model reads it, too.
 *
 * @example
 * server.tool('chart', { ui: app('./chart.html') }, (_, ctx) =>
 *   showsApps(ctx) ? 'The user sees a chart.' : 'Monday 12, Tuesday 14',
 * );
 */
export function showsApps(ctx: {
  readonly revision: string;
  extension(id: string): JsonObject | undefined;
}): boolean {
  // The lists of the oldest revisions do not say which tool has an app.
  return carriesMeta(ctx.revision) && showsPages(ctx.extension(APPS_ID));
}

function carriesMeta(revision: string): boolean {
  return !findRevision(revision)?.omit.tool.includes('_meta');
}
