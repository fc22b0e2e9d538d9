import type { RE2Set } from 're2js';
import type { Budget } from './budget.js';
import { countProperties, translate } from './pattern/translate.js';
import type { Place } from './place.js';

const MAX_LENGTH = 2_000;
const MAX_PROPERTIES = 20;
/** How many steps it may take to prepare the patterns of a document; enough for some 50 ordinary ones. */
const MAX_STEPS = 3_000_000;
/** How many bytes the engine may use for what it learns about a pattern. */
const MEMORY = 100_000;

/** A regular expression of a schema. */
export class Pattern {
  readonly source: string;
  #engine: RE2Set | undefined;
  #stepsPerCharacter = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Whether it matches some part of a text; undefined if it is one that is not enforced. */
  test(text: string, budget: Budget): boolean | undefined {
    if (!this.#engine) return undefined;
    budget.spend(20 + text.length * this.#stepsPerCharacter);
    return this.#engine.match(text).length > 0;
  }

  /** Returns the number of steps that it took. If they would be too many, it is not enforced. */
  prepare(engine: typeof RE2Set, maxSteps: number): number {
    const translation = translate(this.source);
    if (!translation) return 0;
    const { source, size, width } = translation;
    const steps = 5_000 + size * (300 + 1_500 * countProperties(this.source));
    if (steps > maxSteps) return 0;
    const set = new engine(engine.UNANCHORED, 0, MEMORY);
    try {
      set.add(source);
      set.compile();
      this.#engine = set;
    } catch {
      // RE2 does not know one of its properties, or counts less far.
    }
    this.#stepsPerCharacter = 2 * width;
    return steps;
  }
}

/** The regular expressions of a document, each once. */
export class Patterns {
  readonly #bySource = new Map<string, Pattern>();

  read(source: string, at: Place): Pattern {
    const known = this.#bySource.get(source);
    if (known) return known;
    if (!isLarge(source) && !isValid(source, at.budget)) throw at.refuse('is not a regular expression');
    const pattern = new Pattern(source);
    this.#bySource.set(source, pattern);
    return pattern;
  }

  /** The engine is large and most schemas have no patterns, so it is loaded only if there are some. */
  async load(): Promise<void> {
    const patterns = [...this.#bySource.values()].filter(({ source }) => !isLarge(source));
    if (patterns.length === 0) return;
    const { RE2Set } = await import('re2js');
    let left = MAX_STEPS;
    for (const pattern of patterns) left -= pattern.prepare(RE2Set, left);
  }
}

function isLarge(source: string): boolean {
  return source.length > MAX_LENGTH || countProperties(source) > MAX_PROPERTIES;
}

/** Whether JavaScript accepts a pattern, in Unicode mode or, as many are written, in the older one. */
function isValid(source: string, budget: Budget): boolean {
  budget.spend(100 + source.length + 10_000 * countProperties(source));
  return ['u', ''].some(flags => {
    try {
      return new RegExp(source, flags) !== undefined;
    } catch {
      return false;
    }
  });
}
