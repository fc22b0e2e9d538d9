import type { Budget } from './budget.js';
import { Automaton } from './pattern/automaton.js';
import { NotEnforceable, parsePattern } from './pattern/parse.js';
import { writeProgram } from './pattern/program.js';
import type { Place } from './place.js';

const MAX_LENGTH = 2_000;
const MAX_PROPERTIES = 20;

/** A regular expression of a schema. */
export interface Pattern {
  readonly source: string;
  /** Whether it matches some part of a text; undefined if it is one that is not enforced. */
  test(text: string, budget: Budget): boolean | undefined;
}

/** The regular expressions of a document, each once. */
export class Patterns {
  readonly #bySource = new Map<string, Pattern>();

  read(source: string, at: Place): Pattern {
    const known = this.#bySource.get(source);
    if (known) return known;
    const pattern = { source, test: readTest(source, at) };
    this.#bySource.set(source, pattern);
    return pattern;
  }
}

function readTest(source: string, at: Place): Pattern['test'] {
  const properties = source.split(/\\p/i).length - 1;
  const sets = source.split(/[.[\\]/).length - 1;
  if (source.length > MAX_LENGTH || properties > MAX_PROPERTIES) return () => undefined;
  // It will use memory; and it takes a while to tell JavaScript about sets of characters and properties.
  at.budget.spend(10_000 + 50 * source.length + 2_000 * sets + 20_000 * properties);
  if (!isValid(source)) throw at.refuse('is not a regular expression');
  try {
    const automaton = new Automaton(writeProgram(parsePattern(source)));
    return (text, budget) => automaton.test(text, budget);
  } catch (error) {
    if (error instanceof NotEnforceable) return () => undefined;
    throw error;
  }
}

/** Whether JavaScript accepts a pattern, in Unicode mode or, as many are written, in the older one. */
function isValid(source: string): boolean {
  return ['u', ''].some(flags => {
    try {
      return new RegExp(source, flags) !== undefined;
    } catch {
      return false;
    }
  });
}
