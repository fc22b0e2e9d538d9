import type { CharacterTest } from './character.js';

/** A condition on the place between two characters. */
export type Edge = '^' | '$' | '\\b' | '\\B';

/** What to look for at a place in a pattern, and where to go on. Without either, the pattern has been matched. */
export interface Instruction {
  readonly matches?: CharacterTest;
  readonly edge?: Edge;
  readonly next: readonly number[];
}

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

/** A pattern is valid, but too large, or has something that cannot be decided in one look at each character. */
export class NotEnforceable extends Error {}

/** A part of a pattern: writes itself so that it goes on at `next`, and returns where it begins. */
export type Part = (writer: Writer, next: number) => number;

const MAX_INSTRUCTIONS = 2_000;

/** Writes a pattern as instructions. Throws `NotEnforceable` if they are too many. */
export function writeProgram(part: Part): Program {
  const writer = new Writer();
  const end = writer.add({ next: [] });
  return { start: part(writer, end), instructions: writer.instructions };
}

export function character(matches: CharacterTest): Part {
  return (writer, next) => writer.add({ matches, next: [next] });
}

export function edge(edge: Edge): Part {
  return (writer, next) => writer.add({ edge, next: [next] });
}

export function choice(parts: readonly Part[]): Part {
  return (writer, next) => writer.add({ next: parts.map(part => part(writer, next)) });
}

export function sequence(parts: readonly Part[]): Part {
  // Nothing counts as something, or a million times nothing would take its time.
  if (parts.length === 0) return (writer, next) => writer.add({ next: [next] });
  return (writer, next) => parts.reduceRight((end, part) => part(writer, end), next);
}

export function repetition(part: Part, least: number, most: number): Part {
  return (writer, next) => {
    let start = next;
    if (most === Number.POSITIVE_INFINITY) {
      start = writer.add({ next: [] });
      writer.instructions[start] = { next: [part(writer, start), next] };
    } else {
      for (let copy = least; copy < most; copy++) start = writer.add({ next: [part(writer, start), next] });
    }
    for (let copy = 0; copy < least; copy++) start = part(writer, start);
    return start;
  };
}

/** Writes from the end to the beginning, so that it is always known where to go on. */
class Writer {
  readonly instructions: Instruction[] = [];

  add(instruction: Instruction): number {
    if (this.instructions.length >= MAX_INSTRUCTIONS) throw new NotEnforceable('is too large');
    return this.instructions.push(instruction) - 1;
  }
}
