import { createSignal, For, Show } from 'solid-js';
import { AppOfRun } from '../app/app-of-run.jsx';
import { inShort } from '../parts/duration.js';
import { QuestionCard } from '../question/question-card.jsx';
import { RunResult } from '../result/run-result.jsx';
import { connections } from '../state/connections.js';
import { questions } from '../state/questions.js';
import { type Run, runOf } from '../state/runs.js';
import { LogList } from './log-list.jsx';
import { ProgressBar } from './progress-bar.jsx';
import { TaskState } from './task-state.jsx';

const STATES = { running: 'Running', done: 'Done', failed: 'Failed', cancelled: 'Cancelled' } as const;

/** One run: its state, its questions, its result and its log. */
export function Lane(props: { run: Run; takesFocus: boolean }) {
  const [isRaw, setRaw] = createSignal(false);
  const own = () => questions.filter(question => question.call && runOf(question.call) === props.run.id);
  const revision = () => connections[props.run.connection]?.revision ?? props.run.connection;
  const state = () => (props.run.result?.isError === true ? 'failed' : props.run.state);
  return (
    <section class="lane" aria-label={`Result on revision ${revision()}`}>
      <header class="lane-head">
        <h2>Result</h2>
        <span class="tag">{revision()}</span>
        <span class="state" data-state={state()} role="status">
          {own().length > 0 ? 'Waiting for you' : STATES[state()]}
          <Show when={props.run.endedAt}>{ended => ` in ${inShort(ended() - props.run.startedAt)}`}</Show>
        </span>
        <Show when={props.run.result}>
          <button type="button" class="quiet small" aria-pressed={isRaw()} onClick={() => setRaw(!isRaw())}>
            Raw JSON
          </button>
        </Show>
      </header>
      <Show when={props.run.task}>{task => <TaskState task={task()} />}</Show>
      <Show when={props.run.progress && props.run.state === 'running' && props.run.progress}>
        {progress => <ProgressBar {...progress()} />}
      </Show>
      <For each={own()}>{question => <QuestionCard question={question} takesFocus={props.takesFocus} />}</For>
      <AppOfRun run={props.run} />
      <RunResult run={props.run} isRaw={isRaw()} />
      <LogList messages={props.run.messages} />
    </section>
  );
}
