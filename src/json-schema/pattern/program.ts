import type { CharacterTest } from './character.js';
import { type Edge, NotEnforceable, type Tree } from './parse.js';

/** What to look for at a place in a pattern, and where to go on. */
export type Instruction =
  | CharacterInstruction
  | { readonly kind: 'edge'; readonly edge: Edge; readonly next: number }
  | { readonly kind: 'split'; readonly next: readonly number[] }
  | { readonly kind: 'end' };

export interface CharacterInstruction {
  readonly kind: 'character';
  readonly matches: CharacterTest;
  readonly next: number;
}

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

const MAX_INSTRUCTIONS = 2_000;

/** Writes a pattern as instructions. Throws `NotEnforceable` if they are too many. */
export function writeProgram(tree: Tree): Program {
  const writer = new Writer();
  const end = writer.add({ kind: 'end' });
  return { start: writer.write(tree, end), instructions: writer.instructions };
}

/** Writes from the end to the beginning, so that it is always known where to go on. */
class Writer {
  readonly instructions: Instruction[] = [];

  add(instruction: Instruction): number {
    if (this.instructions.length >= MAX_INSTRUCTIONS) throw new NotEnforceable('is too large');
    return this.instructions.push(instruction) - 1;
  }

  /** Returns where the part begins. */
  write(part: Tree, next: number): number {
    switch (part.kind) {
      case 'character':
        return this.add({ kind: 'character', matches: part.matches, next });
      case 'edge':
        return this.add({ kind: 'edge', edge: part.edge, next });
      case 'choice':
        return this.add({ kind: 'split', next: part.parts.map(inner => this.write(inner, next)) });
      case 'sequence':
        if (part.parts.length === 0) return this.#pass(next);
        return part.parts.reduceRight((end, inner) => this.write(inner, end), next);
      case 'repetition':
        return this.#writeRepetition(part.part, part.least, part.most, next);
    }
  }

  #writeRepetition(part: Tree, least: number, most: number, next: number): number {
    let start = next;
    if (most === Number.POSITIVE_INFINITY) {
      start = this.#pass(next);
      this.instructions[start] = { kind: 'split', next: [this.write(part, start), next] };
    } else {
      for (let copy = least; copy < most; copy++) {
        start = this.add({ kind: 'split', next: [this.write(part, start), next] });
      }
    }
    for (let copy = 0; copy < least; copy++) start = this.write(part, start);
    return start;
  }

  /** Nothing. It counts as something, or a million times nothing would take its time. */
  #pass(next: number): number {
    return this.add({ kind: 'split', next: [next] });
  }
}
