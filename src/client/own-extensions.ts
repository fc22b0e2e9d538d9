import { UsageError } from '../base/errors.js';
import { checkExtensions } from '../protocol/extensions.js';
import type { ClientOptions } from './options.js';

/** Throws if extensions are malformed, or if types of results belong to none. */
export function checkOwnExtensions({ capabilities, resultTypes = [] }: ClientOptions): void {
  const { extensions = {} } = capabilities ?? {};
  checkExtensions(extensions);
  if (resultTypes.length === 0 || Object.keys(extensions).length > 0) return;
  throw new UsageError(
    `resultTypes belong to extensions; declare theirs, as in capabilities: { extensions: { 'com.example/slow': {} } }`,
  );
}
