import { createEffect, For, on, Show } from 'solid-js';
import type { Subject } from '../place.js';
import { runsOf } from '../state/runs.js';
import { Lane } from './lane.jsx';

/** The outcomes of the latest runs: one, or two beside each other. */
export function Lanes(props: { subject: Subject }) {
  let lanes: HTMLDivElement | undefined;
  const runs = () => runsOf(props.subject);
  const progress = () =>
    runs()
      .map(({ id, state }) => `${id} ${state}`)
      .join();
  // A resource is also read by itself, which must not move the page.
  const show = () => props.subject.kind !== 'resource' && lanes?.scrollIntoView({ block: 'nearest' });
  createEffect(on(progress, show, { defer: true }));
  return (
    <Show when={runs().length > 0}>
      <div class="lanes" classList={{ two: runs().length > 1 }} ref={lanes}>
        <For each={runs()}>{(run, at) => <Lane run={run} takesFocus={at() === 0} />}</For>
      </div>
    </Show>
  );
}
