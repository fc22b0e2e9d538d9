import type { JsonObject } from '../../base/json.js';
import type { Result } from '../../protocol/call.js';
import { ERROR, isPageRequired, McpError } from '../../protocol/errors.js';
import type { InputRequest, InputRequiredResult } from '../../protocol/input.js';
import type { Agreement } from '../../revisions/agreement.js';
import { encodeError, encodeFailure, withAllowedCode } from '../../revisions/encode.js';
import { encodeQuestion } from '../../revisions/questions.js';
import { pagesAsQuestions } from '../rounds/required-pages.js';
import { deadlinesOf, msUntilExpiry } from './deadlines.js';
import { MAX_STATUS_LENGTH } from './limits.js';
import { type RunState, type TaskRecord, type TaskState, withEnd, withRun, withState } from './record.js';
import { NODE_CLOSES, type Outcome, type TaskRun } from './run.js';

export interface ConcludeOptions {
  readonly agreement: Agreement;
  readonly maxResultBytes: number;
  /** Has the task run again, because this run was stopped before its end. */
  requeue(id: string): Promise<void>;
  /** Has the task looked at when one of its questions expires. */
  expires(id: string, delayMs: number): Promise<void>;
  /** Called when the task has ended. */
  ended(id: string): Promise<void>;
  report(error: unknown, where: string): void;
}

/** Writes down how a run of a task ended. Throws if a task that has to run again could not be queued. */
export async function conclude(run: TaskRun, outcome: Outcome, options: ConcludeOptions): Promise<void> {
  if (outcome.kind === 'stopped') return handOver(run, options);
  try {
    await write(run, outcome, options);
  } catch (error) {
    // Such as a result that is too large, or that JSON cannot carry.
    await end(run, failed(error, options), options);
  }
}

/** Gives up the lease of a run that was stopped, and has the task run again. */
async function handOver(run: TaskRun, { requeue }: ConcludeOptions): Promise<void> {
  const { taskId } = run;
  await run.leave(run.signal.reason === NODE_CLOSES ? withoutAttempt : current => current);
  // Also if the lease was not ours any more: the store may have taken a change whose answer was lost. A task that has
  // ended, or that another node runs, is left alone by the next run.
  if (taskId !== undefined) await requeue(taskId);
}

async function write(
  run: TaskRun,
  outcome: Exclude<Outcome, { kind: 'stopped' }>,
  options: ConcludeOptions,
): Promise<void> {
  switch (outcome.kind) {
    case 'asked':
      await wait(run, outcome.questions, {}, options);
      return;
    case 'asked-by-hand':
      await askByHand(run, outcome.asked, options);
      return;
    case 'result':
      if (run.isDeferred) await run.leave(record => withRun(record, { ...run.progress, isDeferred: true }));
      else await complete(run, outcome.result, options);
      return;
    case 'error':
      if (isPageRequired(outcome.thrown))
        await askByHand(run, pagesAsQuestions(run.call, outcome.thrown), options);
      else await end(run, failed(outcome.thrown, options), options);
  }
}

/** A node that closes is no fault of the task, which would be given up after some deployments. */
function withoutAttempt(record: TaskRecord): TaskRecord {
  return withRun(record, { attempts: Math.max(record.run.attempts - 1, 0) });
}

async function complete(run: TaskRun, result: Result, options: ConcludeOptions): Promise<void> {
  const { resultType: _, ...content } = result as JsonObject;
  await end(run, { status: 'completed', message: undefined, result: content }, options, record => {
    const bytes = record.resultBytes;
    if (bytes > options.maxResultBytes) throw tooLarge(bytes, options.maxResultBytes);
  });
}

async function end(
  run: TaskRun,
  state: Partial<TaskState>,
  { ended }: ConcludeOptions,
  check: (record: TaskRecord) => void = () => {},
): Promise<void> {
  const record = await run.leave(current => {
    const last = withEnd(current, state);
    check(last);
    return last;
  });
  if (record) await ended(record.state.id);
}

async function wait(
  run: TaskRun,
  questions: Readonly<Record<string, InputRequest>>,
  changes: Partial<RunState>,
  { expires }: ConcludeOptions,
): Promise<void> {
  const deadlines = deadlinesOf(questions, question => run.timeoutOf(question));
  const next = { ...run.progress, passesBefore: run.progress.passes, deadlines, ...changes };
  const message = Object.values(questions)
    .map(textOf)
    .find(text => text !== undefined);
  const record = await run.leave(current =>
    withState(withRun(current, next), { status: 'input_required', questions, message }),
  );
  if (!record) return;
  const delayMs = msUntilExpiry(record);
  if (delayMs !== undefined) await expires(record.state.id, delayMs);
}

/** Asks what a handler returned by hand. Its names may come again, but a key must never stand for two questions. */
async function askByHand(run: TaskRun, asked: InputRequiredResult, options: ConcludeOptions): Promise<void> {
  const { journal, byHand } = run.progress;
  const names: Record<string, string> = { ...byHand?.names };
  const questions: Record<string, InputRequest> = {};
  for (const [name, request] of Object.entries(asked.inputRequests ?? {})) {
    const key = freeKey(name, names, journal.length);
    names[key] = name;
    questions[key] = encodeQuestion(options.agreement, request);
  }
  const answers = { ...byHand?.answers };
  for (const name of Object.keys(asked.inputRequests ?? {})) delete answers[name];
  await wait(run, questions, { byHand: { state: asked.requestState, names, answers } }, options);
}

/** Questions of the journal are called q and a number. */
function freeKey(name: string, taken: Readonly<Record<string, string>>, entries: number): string {
  if (!Object.hasOwn(taken, name) && !/^q\d+$/.test(name)) return name;
  for (let number = entries + 2; ; number++) {
    const key = `${name}-${number}`;
    if (!Object.hasOwn(taken, key)) return key;
  }
}

/** A failure is a result for the model where the revision says so, otherwise an error, as for an ordinary call. */
export function failed(thrown: unknown, { agreement, report }: ConcludeOptions): Partial<TaskState> {
  const { revision } = agreement;
  const error = withAllowedCode(revision, McpError.from(thrown));
  if (error.code === ERROR.internal && 'cause' in error) report(error.cause, 'tools/call');
  const result = encodeFailure(revision, 'tools/call', error);
  if (result) return { status: 'completed', message: undefined, result };
  const message = error.message.slice(0, MAX_STATUS_LENGTH);
  return { status: 'failed', message, error: encodeError(revision, error) };
}

/** The record of a task that fails outside of a run. */
export function withFailure(record: TaskRecord, error: McpError): TaskRecord {
  const { code, message, data } = error;
  const shown = { code, message, ...(data !== undefined && { data }) };
  return withEnd(record, { status: 'failed', message, error: shown });
}

function textOf(request: InputRequest): string | undefined {
  return request.method === 'elicitation/create'
    ? request.params.message.slice(0, MAX_STATUS_LENGTH)
    : undefined;
}

export function tooLarge(bytes: number, limit: number): McpError {
  return new McpError(
    ERROR.internal,
    `the result of the task has ${bytes} bytes, more than the limit of ${limit}: return less, such as a link to a resource`,
  );
}
