/** How sections are indexed and found; the builder and the page have to agree. */
export const SEARCH_OPTIONS = {
  fields: ['heading', 'page', 'file', 'questions', 'text'],
  storeFields: ['heading', 'page', 'weight'],
  processTerm,
  searchOptions: {
    boost: { heading: 4, questions: 4, page: 2, file: 2 },
    prefix: (term: string) => term.length > 2,
    fuzzy: (term: string) => (term.length > 5 ? 0.15 : false),
    boostDocument: (_id: unknown, _term: string, stored?: Record<string, unknown>) =>
      stored?.weight as number,
  },
};

/** Words that say nothing about the page that a reader looks for. */
const EMPTY = new Set(
  'a an and are as at be but by can do does for from how i if in is it its me my no not of on or so that the there this to was what when where which who why will with you your'.split(
    ' ',
  ),
);

/** A word without its ending, so that "streaming" finds "streams"; null for words that say nothing. */
function processTerm(term: string): string | null {
  const word = term.toLowerCase();
  if (EMPTY.has(word)) return null;
  const stem = word.replace(/(ations?|ings?|ed|es|s)$/, '');
  return stem.length > 3 ? stem : word;
}
