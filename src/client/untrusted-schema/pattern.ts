import type { RE2Set } from 're2js';
import type { Budget } from './budget.js';
import { translate } from './pattern/translate.js';
import type { Place } from './place.js';

const MAX_LENGTH = 2_000;
const MAX_PATTERNS = 200;
/** How many bytes a pattern may use to remember what it has learnt about texts. */
const MEMORY = 100_000;

/** A regular expression of a schema. */
export class Pattern {
  readonly source: string;
  #engine: RE2Set | undefined;
  #stepsPerCharacter = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Whether it occurs in a text; undefined if it is one that is not enforced. */
  test(text: string, budget: Budget): boolean | undefined {
    if (!this.#engine) return undefined;
    budget.spend(20 + text.length * this.#stepsPerCharacter);
    return this.#engine.match(text).length > 0;
  }

  prepare(engine: typeof RE2Set, budget: Budget): void {
    const translation = translate(this.source);
    if (!translation) return;
    budget.spend(50 * (100 + translation.size));
    const set = new engine(engine.UNANCHORED, 0, MEMORY);
    try {
      set.add(translation.source);
      set.compile();
    } catch {
      return; // It has something that the translation does not know about.
    }
    this.#engine = set;
    this.#stepsPerCharacter = 2 * translation.width;
  }
}

/** The regular expressions of a document, each once. */
export class Patterns {
  readonly #bySource = new Map<string, Pattern>();

  read(source: string, at: Place): Pattern {
    const known = this.#bySource.get(source);
    if (known) return known;
    if (this.#bySource.size >= MAX_PATTERNS) {
      throw at.refuse(`too complex to read: it has more than ${MAX_PATTERNS} patterns`, 'too-complex');
    }
    if (source.length <= MAX_LENGTH && !isValid(source)) throw at.refuse('is not a regular expression');
    const pattern = new Pattern(source);
    this.#bySource.set(source, pattern);
    return pattern;
  }

  /** The engine is large and most schemas have no patterns, so it is loaded only now. */
  async load(budget: Budget): Promise<void> {
    const patterns = [...this.#bySource.values()].filter(({ source }) => source.length <= MAX_LENGTH);
    if (patterns.length === 0) return;
    const { RE2Set } = await import('re2js');
    for (const pattern of patterns) pattern.prepare(RE2Set, budget);
  }
}

/** Whether JavaScript accepts a pattern, in Unicode mode or, as many are written, in the older one. */
function isValid(source: string): boolean {
  return ['u', ''].some(flags => {
    try {
      return Boolean(new RegExp(source, flags));
    } catch {
      return false;
    }
  });
}
