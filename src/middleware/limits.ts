/** How many results a `responseCache` keeps, unless `maxResults` is set. */
export const MAX_CACHED_RESULTS = 1000;
/** How many bytes they may take together, unless `maxBytes` is set. */
export const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** How many cut texts a `resultLimit` keeps to be read, unless `maxKept` is set. */
export const MAX_CUT_TEXTS = 100;
/** How many bytes they may take together, unless `maxKeptBytes` is set. */
export const MAX_CUT_BYTES = 64 * 1024 * 1024;
/** How many callers a `rateLimit` remembers, unless `maxCallers` is set. */
export const MAX_CALLERS = 10_000;
