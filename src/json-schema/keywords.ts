import type { Keyword } from './keyword.js';
import { ARRAYS } from './keywords/arrays.js';
import { LOGIC } from './keywords/logic.js';
import { NUMBERS } from './keywords/numbers.js';
import { OBJECTS } from './keywords/objects.js';
import { REFERENCES } from './keywords/references.js';
import { SIZES } from './keywords/sizes.js';
import { STRINGS } from './keywords/strings.js';
import { UNEVALUATED } from './keywords/unevaluated.js';
import { VALUES } from './keywords/values.js';

/**
 * All keywords that are supported, in the order in which their problems are reported. The last ones need to know
 * which members the ones before them have evaluated. All other keywords are ignored.
 */
export const KEYWORDS: ReadonlyMap<string, { readonly rank: number; readonly read: Keyword }> = new Map(
  Object.entries({
    ...VALUES,
    ...NUMBERS,
    ...SIZES,
    ...STRINGS,
    ...ARRAYS,
    ...OBJECTS,
    ...REFERENCES,
    ...LOGIC,
    ...UNEVALUATED,
  } satisfies Record<string, Keyword>).map(([name, read], rank) => [name, { rank, read }]),
);
