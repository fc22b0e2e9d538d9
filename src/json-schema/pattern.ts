import { clip } from '../base/clip.js';
import type { Budget } from './budget.js';
import type { SchemaOptions } from './options.js';
import { Automaton } from './pattern/automaton.js';
import { parsePattern } from './pattern/parse.js';
import { NotEnforceable, writeProgram } from './pattern/program.js';
import type { Place } from './place.js';

const MAX_LENGTH = 2_000;
const MAX_PROPERTIES = 20;

/** A regular expression of a schema. */
export interface Pattern {
  readonly source: string;
  /** Whether the pattern matches some part of a text; undefined if the pattern is not enforced. */
  test(text: string, budget: Budget): boolean | undefined;
}

/** The regular expressions of a document. Each is read only once. */
export class Patterns {
  readonly #bySource = new Map<string, Pattern>();
  readonly #options: SchemaOptions;

  constructor(options: SchemaOptions) {
    this.#options = options;
  }

  read(source: string, at: Place): Pattern {
    const known = this.#bySource.get(source);
    if (known) return known;
    const pattern = { source, test: this.#readTest(source, at) };
    this.#bySource.set(source, pattern);
    return pattern;
  }

  #readTest(source: string, at: Place): Pattern['test'] {
    try {
      return readTest(source, at);
    } catch (error) {
      if (!(error instanceof NotEnforceable)) throw error;
      if (this.#options.from === 'peer') return () => undefined;
      throw at.refuse(
        `${clip(source, 100)} ${error.message}, so it cannot be tested in linear time: ` +
          'split it into several patterns with "allOf" and "not", or use a schema library',
        'pattern',
      );
    }
  }
}

function readTest(source: string, at: Place): Pattern['test'] {
  const properties = source.split(/\\p/i).length - 1;
  const sets = source.split(/[.[\\]/).length - 1;
  if (source.length > MAX_LENGTH || properties > MAX_PROPERTIES) throw new NotEnforceable('is too large');
  // Patterns take memory, and compiling sets of characters and Unicode properties takes time.
  at.budget.spend(10_000 + 50 * source.length + 2_000 * sets + 20_000 * properties);
  if (!isValid(source)) throw at.refuse('is not a regular expression');
  const conditions = parsePattern(source).map(({ part, isForbidden }) => ({
    automaton: new Automaton(writeProgram(part)),
    isForbidden,
  }));
  return (text, budget) =>
    conditions.every(({ automaton, isForbidden }) => automaton.test(text, budget) !== isForbidden);
}

/** Whether JavaScript accepts a pattern, in Unicode mode or in the older mode that many are written for. */
function isValid(source: string): boolean {
  return ['u', ''].some(flags => {
    try {
      return new RegExp(source, flags) !== undefined;
    } catch {
      return false;
    }
  });
}
