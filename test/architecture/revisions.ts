import type { Source } from './sources.js';
import { membersOf, stringsOf } from './syntax.js';

/** Where dates and eras are decided; everything else asks the revision, the call or the link. */
const DECIDING = [
  /^src\/revisions\//,
  /\/(legacy|modern)\//,
  /^src\/server\/(era|pipe)\.ts$/,
  /^src\/server\/http\/handler\.ts$/,
  /^src\/client\/negotiat(e|or)\.ts$/,
  // Apps and hosts speak a protocol of their own, with versions of its own.
  /^src\/client\/apps\/protocol-version\.ts$/,
];

const DATE = /\b20\d\d-\d\d-\d\d\b/;

/** Dates of revisions in texts, and tests of the era, outside of the places that decide. Comments may name dates. */
export async function datesAndEras(sources: readonly Source[]): Promise<string[]> {
  const elsewhere = sources.filter(({ path }) => !DECIDING.some(place => place.test(path)));
  const found = await Promise.all(
    elsewhere.map(async ({ path, text }) => {
      const dates = (await stringsOf(text)).filter(string => DATE.test(string));
      const eras = (await membersOf(text)).filter(member => member === 'era');
      return [...dates.map(date => `${path}: '${date}'`), ...eras.map(() => `${path}: .era`)];
    }),
  );
  return found.flat();
}
