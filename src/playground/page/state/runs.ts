import { createStore, produce } from 'solid-js/store';
import type { TaskHandle } from 'tenon/client';
import type { PageProblem, RunningTask, WireMessage } from '../../api.js';
import { command, problemOf } from '../backend.js';
import type { Subject } from '../place.js';
import { remember } from './history.js';

/** A request that the user sent, and everything that came of it. */
export interface Run {
  readonly id: string;
  readonly subject: Subject;
  readonly connection: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  startedAt: number;
  endedAt?: number;
  messages: WireMessage[];
  /** The messages of what the app of the tool did. */
  appMessages: WireMessage[];
  progress?: { progress: number; total?: number | undefined; message?: string | undefined };
  /** The task that the request has become. */
  task?: TaskHandle;
  result?: Record<string, unknown>;
  problem?: PageProblem;
}

/** How many messages of a run are kept, and how many runs. */
const MAX_MESSAGES = 500;
const MAX_RUNS = 40;

const [runs, setRuns] = createStore<Record<string, Run>>({});
/** The runs that are shown for each subject: one, or two that are compared. */
const [shown, setShown] = createStore<Record<string, string[]>>({});

/** The latest runs of a subject. */
export function runsOf(subject: Subject): Run[] {
  return (shown[keyOf(subject)] ?? []).flatMap(id => runs[id] ?? []);
}

export function isKnown(call: string | undefined): boolean {
  return call !== undefined && runs[runOf(call)] !== undefined;
}

/** The name of a call that the app of a run makes. */
export function nameAppCall({ id }: Run): string {
  return `${id} ${crypto.randomUUID()}`;
}

/** The id of the run that a call belongs to: its own, or the one whose app makes it. */
export function runOf(call: string): string {
  return call.split(' ')[0] ?? call;
}

/** Sends the same request on each of the connections. */
export async function run(
  subject: Subject,
  method: string,
  params: Record<string, unknown>,
  connections: readonly string[],
): Promise<void> {
  const started = connections.map(connection => createRun(subject, connection, method, params));
  forgetOld();
  for (const one of started) setRuns(one.id, one);
  setShown(
    keyOf(subject),
    started.map(({ id }) => id),
  );
  await Promise.all(
    started.map(({ id: call, connection }) =>
      settle(call, command('request', { connection, call, method, params })),
    ),
  );
  const [first] = started;
  if (first) remember(runs[first.id] ?? first);
}

/** Goes on with a task that this page began before it was reloaded, or another page. */
export async function adopt(connection: string, running: RunningTask): Promise<void> {
  const { call, method, params, startedAt, task } = running;
  if (isKnown(call)) return;
  const subject: Subject = { kind: 'tool', name: task.tool };
  setRuns(call, { ...createRun(subject, connection, method, params), id: call, startedAt, task });
  setShown(keyOf(subject), [call]);
  await settle(call, command('follow', { call }));
  const done = runs[call];
  if (done) remember(done);
}

export function cancelRun({ id }: Run): void {
  void command('cancel', { call: id });
}

export function noteMessage(call: string, message: WireMessage): void {
  const run = runOf(call);
  if (!runs[run]) return;
  const list = run === call ? 'messages' : 'appMessages';
  setRuns(run, list, messages => [...messages, message].slice(-MAX_MESSAGES));
}

export function noteProgress(call: string, progress: NonNullable<Run['progress']>): void {
  if (runs[call]) setRuns(call, 'progress', progress);
}

export function noteTask(call: string, task: TaskHandle): void {
  if (runs[call]) setRuns(call, 'task', task);
}

async function settle(id: string, outcome: Promise<Record<string, unknown>>): Promise<void> {
  try {
    const result = await outcome;
    setRuns(id, { state: 'done', result, endedAt: Date.now() });
  } catch (error) {
    const problem = problemOf(error);
    const state = problem.kind === 'cancelled' ? 'cancelled' : 'failed';
    setRuns(id, { state, problem, endedAt: Date.now() });
  }
}

function createRun(
  subject: Subject,
  connection: string,
  method: string,
  params: Record<string, unknown>,
): Run {
  const id = crypto.randomUUID();
  const startedAt = Date.now();
  const none = { messages: [], appMessages: [] };
  return { id, subject, connection, method, params, state: 'running', startedAt, ...none };
}

function forgetOld(): void {
  const old = Object.values(runs)
    .filter(run => run.state !== 'running')
    .slice(0, -MAX_RUNS);
  setRuns(
    produce(all => {
      for (const { id } of old) delete all[id];
    }),
  );
}

function keyOf({ kind, name }: Subject): string {
  return `${kind} ${name}`;
}
