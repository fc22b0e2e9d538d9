import { For, Show } from 'solid-js';
import type { Subject } from '../place.js';
import { runsOf } from '../state/runs.js';
import { Lane } from './lane.jsx';

/** The outcomes of the latest runs: one, or two beside each other. */
export function Lanes(props: { subject: Subject }) {
  const runs = () => runsOf(props.subject);
  return (
    <Show when={runs().length > 0}>
      <div class="lanes" classList={{ two: runs().length > 1 }}>
        <For each={runs()}>{(run, at) => <Lane run={run} takesFocus={at() === 0} />}</For>
      </div>
    </Show>
  );
}
