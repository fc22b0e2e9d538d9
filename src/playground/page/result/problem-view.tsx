import { Show } from 'solid-js';
import type { PageProblem } from '../../api.js';
import { JsonView } from '../parts/json-view.jsx';
import { adviceFor } from './advice.js';

/** Why something failed, and what to do. */
export function ProblemView(props: { problem: PageProblem; title?: string }) {
  return (
    <div class="problem" role="alert">
      <p class="problem-title">{props.title ?? 'It did not work'}</p>
      <p class="problem-message">{props.problem.message}</p>
      <p>{adviceFor(props.problem)}</p>
      <p class="muted small-text">
        Kind: <code>{props.problem.kind}</code>
        <Show when={props.problem.code !== undefined}>
          {' '}
          · code <code>{props.problem.code}</code>
        </Show>
      </p>
      <Show when={props.problem.data !== undefined}>
        <JsonView value={props.problem.data} name="data" />
      </Show>
    </div>
  );
}
