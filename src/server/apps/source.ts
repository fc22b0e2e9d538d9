import { UsageError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { type InlinePage, inlinePage, type Page } from './page.js';

const USAGE = "app takes a file, app('./chart.html'), or a page, app({ html })";

/** The page that the author gave to `app`. */
export function readSource(source: string | URL | InlinePage, openFile: (file: string | URL) => Page): Page {
  if (typeof source === 'string' || source instanceof URL) return openFile(source);
  if (!isObject(source)) throw new UsageError(USAGE);
  const { html, ...others } = source as { html?: unknown };
  if ('file' in others) throw new UsageError(html === undefined ? USAGE : `${USAGE}, not both`);
  const [misplaced] = Object.keys(others);
  if (misplaced)
    throw new UsageError(`"${misplaced}" goes into the second argument: app({ html }, { ${misplaced} })`);
  return inlinePage(source);
}
