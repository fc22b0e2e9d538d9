import type { Budget } from '../budget.js';
import type { Edge, Instruction, Program } from './program.js';

// Reads a text once, from left to right, and keeps track of all places in the pattern that a match could have
// reached. Such a set of places is a state. Transitions between states are remembered, so that most characters
// cost one lookup in a map. A ready-made engine could not be stopped when the budget is spent.

/** The kind of character on one side of a position in the text. */
type Side = 'nothing' | 'word' | 'other';

interface State {
  readonly places: readonly number[];
  readonly before: Side;
  /** By the code of the next character. */
  readonly next: Map<number, State | typeof FOUND>;
  foundAtEnd?: boolean;
}

const FOUND = Symbol('found');

/** How many places and transitions may be remembered, some hundred kilobytes. */
const MAX_REMEMBERED = 5_000;

export class Automaton {
  readonly #program: Program;
  readonly #states = new Map<string, State>();
  #first: State | undefined;
  #remembered = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Whether the pattern matches some part of a text. */
  test(text: string, budget: Budget): boolean {
    budget.spend(10 + 2 * text.length);
    this.#first ??= this.#stateOf([this.#program.start], 'nothing', budget);
    let state = this.#first;
    for (let at = 0; at < text.length; ) {
      const code = text.codePointAt(at)!;
      const next = state.next.get(code) ?? this.#advance(state, code, budget);
      if (next === FOUND) return true;
      state = next;
      at += code > 0xffff ? 2 : 1;
    }
    state.foundAtEnd ??= this.#reach(state, 'nothing', budget) === undefined;
    return state.foundAtEnd;
  }

  /** The state after one more character. */
  #advance(state: State, code: number, budget: Budget): State | typeof FOUND {
    budget.spend(30);
    const char = String.fromCodePoint(code);
    const side = /\w/.test(char) ? 'word' : 'other';
    const reached = this.#reach(state, side, budget);
    // A match may begin at every character.
    const places = new Set([this.#program.start]);
    for (const { matches, next } of reached ?? []) {
      budget.spend(20);
      if (matches?.(char)) places.add(next[0]!);
    }
    const next = reached ? this.#stateOf([...places].sort(ascending), side, budget) : FOUND;
    state.next.set(code, next);
    this.#remember(1);
    return next;
  }

  /** The characters that a state can read next; undefined if a match has been found. */
  #reach(state: State, after: Side, budget: Budget): Instruction[] | undefined {
    const characters: Instruction[] = [];
    const seen = new Set<number>();
    const waiting = [...state.places];
    while (waiting.length > 0) {
      const place = waiting.pop()!;
      budget.spend(5);
      if (seen.has(place)) continue;
      seen.add(place);
      const instruction = this.#program.instructions[place]!;
      const { matches, edge, next } = instruction;
      if (next.length === 0) return undefined;
      if (matches) characters.push(instruction);
      else if (!edge || holds(edge, state.before, after)) waiting.push(...next);
    }
    return characters;
  }

  #stateOf(places: readonly number[], before: Side, budget: Budget): State {
    budget.spend(10 * places.length);
    const key = `${before} ${places}`;
    let state = this.#states.get(key);
    if (!state) {
      this.#remember(10 + places.length);
      state = { places, before, next: new Map() };
      this.#states.set(key, state);
    }
    return state;
  }

  #remember(more: number): void {
    this.#remembered += more;
    if (this.#remembered < MAX_REMEMBERED) return;
    this.#remembered = 0;
    this.#states.clear();
    this.#first = undefined;
  }
}

function holds(edge: Edge, before: Side, after: Side): boolean {
  if (edge === '^') return before === 'nothing';
  if (edge === '$') return after === 'nothing';
  return ((before === 'word') !== (after === 'word')) === (edge === '\\b');
}

function ascending(a: number, b: number): number {
  return a - b;
}
