import type { CharacterTest } from './character.js';

/** A condition on the position between two characters. */
export type Edge = '^' | '$' | '\\b' | '\\B';

/** One step of a pattern. Without `next`, the pattern has been matched. */
export interface Instruction {
  readonly matches?: CharacterTest;
  readonly edge?: Edge;
  readonly next: readonly number[];
}

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

/** A pattern is valid, but too large, or it cannot be decided by looking at each character once. */
export class NotEnforceable extends Error {}

/** A part of a pattern. It writes its instructions so that they continue at `next`, and returns its own start. */
export type Part = (writer: Writer, next: number) => number;

const MAX_INSTRUCTIONS = 2_000;

/** Writes a pattern as instructions. Throws `NotEnforceable` if there are too many. */
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
  // An empty sequence writes an instruction, too: repeating it counts against the limit like anything else.
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

/** Instructions are written from the end to the beginning, so that the next one is always known. */
class Writer {
  readonly instructions: Instruction[] = [];

  add(instruction: Instruction): number {
    if (this.instructions.length >= MAX_INSTRUCTIONS) throw new NotEnforceable('is too large');
    return this.instructions.push(instruction) - 1;
  }
}
