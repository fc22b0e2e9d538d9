import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';

/** A handler in a small language, so that many can be made up. */
export type Program =
  | { kind: 'ask'; name: string }
  /** Takes some turns of the event loop. */
  | { kind: 'step'; name: string; turns: number }
  /** Fails the first time it runs; the program does not mind. */
  | { kind: 'flaky'; name: string }
  /** Waits without a step, as for something that is only read. */
  | { kind: 'pause'; turns: number }
  | { kind: 'sequence' | 'parallel' | 'settled'; parts: Program[] }
  /** Swallows whatever is thrown, the end of a round included. */
  | { kind: 'swallow'; part: Program }
  /** Does the part only after an answer that says so. */
  | { kind: 'branch'; name: string; part: Program };

/** What a program can do. */
export interface World {
  ask(name: string): Promise<string>;
  step(name: string, run: () => Promise<string>): Promise<string>;
}

/** What the steps of a program have done. */
export class Ledger {
  readonly #runs = new Map<string, number>();
  readonly #successes = new Map<string, number>();

  async run(name: string, turns: number, isFlaky: boolean): Promise<string> {
    const runs = (this.#runs.get(name) ?? 0) + 1;
    this.#runs.set(name, runs);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    if (isFlaky && runs === 1) throw new Error('the first time');
    this.#successes.set(name, (this.#successes.get(name) ?? 0) + 1);
    return `did ${name}`;
  }

  /** How often each step has succeeded. */
  get successes(): Record<string, number> {
    return Object.fromEntries([...this.#successes].sort());
  }
}

/** Runs a program. What it returns depends on every answer and on every step. */
export async function execute(program: Program, world: World, ledger: Ledger): Promise<unknown> {
  const run = (part: Program) => execute(part, world, ledger);
  switch (program.kind) {
    case 'ask':
      return world.ask(program.name);
    case 'step':
      return world.step(program.name, () => ledger.run(program.name, program.turns, false));
    case 'flaky':
      await world.step(program.name, () => ledger.run(program.name, 0, true)).catch(() => {});
      return 'flaky';
    case 'pause':
      for (let turn = 0; turn < program.turns; turn++) await nextTurn();
      return 'pause';
    case 'sequence': {
      const results: unknown[] = [];
      for (const part of program.parts) results.push(await run(part));
      return results;
    }
    case 'parallel':
      return Promise.all(program.parts.map(run));
    case 'settled':
      return Promise.allSettled(program.parts.map(run));
    case 'swallow':
      return run(program.part).catch(() => 'swallowed');
    case 'branch':
      return saysYes(await world.ask(program.name)) ? run(program.part) : 'no';
  }
}

/** What is answered to a question, always. */
export function answerTo(name: string): string {
  return `${name.length % 2 === 0 ? 'yes' : 'no'}, ${name}`;
}

function saysYes(answer: string): boolean {
  return answer.startsWith('yes');
}

/** The most questions that are asked one after the other. */
export function depthOf(program: Program): number {
  switch (program.kind) {
    case 'ask':
      return 1;
    case 'sequence':
      return program.parts.reduce((sum, part) => sum + depthOf(part), 0);
    case 'parallel':
    case 'settled':
      return Math.max(0, ...program.parts.map(depthOf));
    case 'swallow':
      return depthOf(program.part);
    case 'branch':
      return 1 + (saysYes(answerTo(program.name)) ? depthOf(program.part) : 0);
    default:
      return 0;
  }
}

/** Programs whose questions and steps have names of their own. */
export function programs({ pauses }: { pauses: boolean }): fc.Arbitrary<Program> {
  const { program } = fc.letrec<{ program: Program }>(tie => {
    const parts = fc.array(tie('program'), { maxLength: 4, size: 'max' });
    const leaves: fc.WeightedArbitrary<Program>[] = [
      { weight: 4, arbitrary: fc.constant({ kind: 'ask', name: '' }) },
      { weight: 3, arbitrary: fc.nat(2).map(turns => ({ kind: 'step', name: '', turns })) },
      { weight: 1, arbitrary: fc.constant({ kind: 'flaky', name: '' }) },
    ];
    if (pauses) leaves.push({ weight: 1, arbitrary: fc.nat(3).map(turns => ({ kind: 'pause', turns })) });
    return {
      program: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.oneof(...leaves),
        fc.record({ kind: fc.constant('sequence' as const), parts }),
        fc.record({ kind: fc.constantFrom('parallel' as const, 'settled' as const), parts }),
        fc.record({ kind: fc.constant('swallow' as const), part: tie('program') }),
        fc.record({ kind: fc.constant('branch' as const), name: fc.constant(''), part: tie('program') }),
      ),
    };
  });
  const several = fc.record({
    kind: fc.constantFrom('sequence' as const, 'parallel' as const),
    parts: fc.array(program, { minLength: 2, maxLength: 4 }),
  });
  return several.map(unnamed => withNames(unnamed, createNamer()));
}

/** Programs that do one thing after the other, with few names, so that the same ones come up again. */
export function repetitivePrograms(): fc.Arbitrary<Program> {
  const name = fc.constantFrom('a', 'bb');
  const part: fc.Arbitrary<Program> = fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), name }),
    fc.record({ kind: fc.constant('step' as const), name, turns: fc.nat(1) }),
  );
  return fc.array(part, { maxLength: 12 }).map(parts => ({ kind: 'sequence', parts }));
}

function createNamer(): (kind: string) => string {
  let count = 0;
  // Names of different lengths get different answers.
  return kind => `${kind}${'.'.repeat(count % 2)}${count++}`;
}

function withNames(program: Program, nameOf: (kind: string) => string): Program {
  if ('parts' in program) return { ...program, parts: program.parts.map(part => withNames(part, nameOf)) };
  const named = 'name' in program ? { ...program, name: nameOf(program.kind) } : program;
  return 'part' in named ? { ...named, part: withNames(named.part, nameOf) } : named;
}
