import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ElicitResult, InputRequest, InputResponse } from '../../src/server/index.js';
import type { JournalEntry } from '../../src/server/rounds/journal.js';
import { type OnRoundEnd, Round, type RoundProgress } from '../../src/server/rounds/round.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { accepted, askText, connectAsking, serveAsking } from './asking.js';
import {
  answerTo,
  depthOf,
  execute,
  Ledger,
  type Program,
  programs,
  repetitivePrograms,
  type World,
} from './programs.js';

failOnUnhandled();

/** Which of the open questions are answered in each round. */
type Choose = (names: string[], round: number) => string[];

interface Outcome {
  result: unknown;
  ledger: Ledger;
  /** What each round asked, and what of it was answered. */
  rounds: { asked: string[]; answered: string[] }[];
}

/** Runs a program with every answer at hand. */
async function runDirectly(program: Program): Promise<Outcome> {
  const ledger = new Ledger();
  const world: World = { ask: async name => answerTo(name), step: (_name, run) => run() };
  return { result: await execute(program, world, ledger), ledger, rounds: [] };
}

/** Runs a program over rounds, with a journal that travels as JSON in between. */
async function runInRounds(program: Program, choose: Choose): Promise<Outcome> {
  const ledger = new Ledger();
  const rounds: Outcome['rounds'] = [];
  let journal: JournalEntry[] = [];
  let responses = new Map<string, InputResponse>();
  for (let number = 1; ; number++) {
    const outcome = await runRound(program, ledger, { journal, passes: 0 }, responses);
    if (!('questions' in outcome)) return { result: outcome.result, ledger, rounds };
    if (outcome.problem) throw outcome.problem;
    const questions = Object.entries(outcome.questions).map(([key, question]): [string, string] => [
      key,
      nameOf(question),
    ]);
    const asked = questions.map(([, name]) => name);
    const answered = choose(asked, number);
    rounds.push({ asked, answered });
    journal = JSON.parse(JSON.stringify(outcome.journal));
    responses = new Map(
      questions
        .filter(([, name]) => answered.includes(name))
        .map(([key, name]) => [key, accepted({ text: answerTo(name) }) as ElicitResult]),
    );
  }
}

interface RoundEnd {
  journal: readonly JournalEntry[];
  questions: Parameters<OnRoundEnd>[0];
  problem: Parameters<OnRoundEnd>[1];
}

function runRound(
  program: Program,
  ledger: Ledger,
  start: RoundProgress,
  responses: Map<string, InputResponse>,
): Promise<RoundEnd | { result: unknown }> {
  return new Promise((resolve, reject) => {
    const round = new Round(start, (questions, problem) =>
      resolve({ journal: round.progress.journal, questions, problem }),
    );
    round.answer(responses);
    const world: World = {
      ask: async name => ((await round.ask(questionOf(name))) as ElicitResult).content?.text as string,
      step: (name, run) => round.step(name, run),
    };
    execute(program, world, ledger).then(
      result => round.isEnding || resolve({ result }),
      thrown => round.isEnding || reject(thrown),
    );
  });
}

function questionOf(name: string): InputRequest {
  return { method: 'elicitation/create', params: { message: name, requestedSchema: { type: 'object' } } };
}

function nameOf(question: InputRequest): string {
  return (question as { params: { message: string } }).params.message;
}

const everything: Choose = names => names;

/** Some of the questions in each round; now and then none. */
const choices = fc.infiniteStream(fc.nat({ max: 0xff })).map((stream): Choose => {
  return names => names.filter((_, at) => ((stream.next().value >> (at % 8)) & 1) === 1);
});

describe('any program', () => {
  it('gives over rounds, with answers in any portions, what it gives with all answers at hand', async () => {
    await fc.assert(
      fc.asyncProperty(programs({ pauses: false }), choices, async (program, choose) => {
        const direct = await runDirectly(program);
        const { result, ledger } = await runInRounds(program, choose);
        expect(result).toEqual(direct.result);
        expect(Object.keys(ledger.successes)).toEqual(
          expect.arrayContaining(Object.keys(direct.ledger.successes)),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('runs every step exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(programs({ pauses: true }), choices, async (program, choose) => {
        const { ledger } = await runInRounds(program, choose);
        for (const [name, times] of Object.entries(ledger.successes)) expect(times, name).toBe(1);
      }),
      { numRuns: 1000 },
    );
  });

  it('asks every question until it is answered, and then no more', async () => {
    await fc.assert(
      fc.asyncProperty(programs({ pauses: false }), choices, async (program, choose) => {
        const { rounds } = await runInRounds(program, choose);
        const done = new Set<string>();
        let open: string[] = [];
        for (const { asked, answered } of rounds) {
          expect(asked).toEqual(expect.arrayContaining(open));
          expect(asked.filter(name => done.has(name))).toEqual([]);
          expect(new Set(asked).size).toBe(asked.length);
          for (const name of answered) done.add(name);
          open = asked.filter(name => !done.has(name));
        }
        expect(open).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes no more rounds than it has questions one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(programs({ pauses: false }), async program => {
        const { rounds } = await runInRounds(program, everything);
        expect(rounds).toHaveLength(depthOf(program));
      }),
      { numRuns: 500 },
    );
  });

  it('comes to its end, too, if it waits between its questions for something that is no step', async () => {
    await fc.assert(
      fc.asyncProperty(programs({ pauses: true }), choices, async (program, choose) => {
        expect((await runInRounds(program, choose)).result).toEqual((await runDirectly(program)).result);
      }),
      { numRuns: 500 },
    );
  });

  it('may ask and do the same several times, one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(repetitivePrograms(), choices, async (program, choose) => {
        const [direct, inRounds] = [await runDirectly(program), await runInRounds(program, choose)];
        expect(inRounds.result).toEqual(direct.result);
        expect(inRounds.ledger.successes).toEqual(direct.ledger.successes);
      }),
      { numRuns: 300 },
    );
  });
});

describe('any program as a tool', () => {
  it('gives the same to clients of a handshake revision and of rounds', { timeout: 300_000 }, async () => {
    let program: Program = { kind: 'pause', turns: 0 };
    let ledger = new Ledger();
    const { server, call } = await serveAsking(async ctx => {
      const world: World = { ask: name => askText(ctx, name), step: (name, run) => ctx.step(name, run) };
      return JSON.stringify(await execute(program, world, ledger));
    });
    const legacy = await connectAsking(server, {
      revision: '2025-11-25',
      answers: { 'elicitation/create': ({ message }) => accepted({ text: answerTo(message as string) }) },
    });

    const inRounds = async (choose: Choose) => {
      let round = await call();
      for (let number = 1; round.result?.resultType === 'input_required'; number++) {
        const answered = number < 8 ? choose(round.messages, number) : round.messages;
        round = await round.answer(Object.fromEntries(answered.map(name => [name, answerTo(name)])));
      }
      return round;
    };

    const short = programs({ pauses: true }).filter(made => depthOf(made) < 7);
    await fc.assert(
      fc.asyncProperty(short, choices, async (made, choose) => {
        program = made;
        const direct = await runDirectly(program);
        for (const run of [() => inRounds(choose), () => inRounds(everything), legacy.call]) {
          ledger = new Ledger();
          const { text, error } = await run();
          expect(error).toBeUndefined();
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(direct.result)));
          for (const [name, times] of Object.entries(ledger.successes)) expect(times, name).toBe(1);
        }
      }),
      { numRuns: 150 },
    );
  });
});
