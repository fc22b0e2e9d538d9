import { For, Show } from 'solid-js';
import { go, place } from '../address.js';
import { CopyMenu } from '../copy/copy-menu.jsx';
import { inShort } from '../parts/duration.js';
import { draftOf } from '../state/drafts.js';
import { forgetAll, type PastCall, pastCalls } from '../state/history.js';
import { run } from '../state/runs.js';
import { taskOf } from '../subject/task.js';

/** The calls of the past, each again with one click. */
export function HistoryList() {
  return (
    <div class="history">
      <ol>
        <For
          each={pastCalls}
          fallback={<li class="empty">Calls that you make are kept here, in this browser.</li>}
        >
          {call => <PastCallRow call={call} />}
        </For>
      </ol>
      <Show when={pastCalls.length > 0}>
        <button type="button" class="quiet small" onClick={forgetAll}>
          Forget all
        </button>
      </Show>
    </div>
  );
}

function PastCallRow(props: { call: PastCall }) {
  const { subject, method, params } = props.call;
  const again = () => {
    const { revision, compare } = place();
    const task = taskOf(subject, undefined);
    draftOf(subject, () => ({}))[1](() => task.fromParams(params));
    go({ subject, revision, compare });
    void run(
      subject,
      method,
      params,
      [revision, compare].filter(name => name !== undefined),
    );
  };
  return (
    <li class="past-call">
      <div>
        <span class="past-name">{subject.name}</span>
        <span class="muted mono clip">{JSON.stringify(params.arguments ?? params.uri ?? {})}</span>
        <span class="muted small-text">
          <span class="state" data-state={props.call.outcome}>
            {props.call.outcome}
          </span>{' '}
          in {inShort(props.call.tookMs)}, at {new Date(props.call.at).toLocaleTimeString()}
        </span>
      </div>
      <div class="past-actions">
        <CopyMenu subject={subject} method={method} params={params} />
        <button type="button" class="small" aria-label={`Run ${subject.name} again`} onClick={again}>
          Again
        </button>
      </div>
    </li>
  );
}
