import { Show } from 'solid-js';
import { place } from '../address.js';
import type { Subject } from '../place.js';
import { connections } from '../state/connections.js';
import { watch, watched } from '../state/watching.js';

/** Reads a resource again whenever it changes, if the server reports that. */
export function WatchSwitch(props: { subject: Subject }) {
  const canWatch = () =>
    props.subject.kind === 'resource' &&
    connections[place().revision]?.server?.capabilities.resources?.subscribe === true;
  return (
    <Show when={canWatch()}>
      <label class="switch">
        <input
          type="checkbox"
          checked={watched().includes(props.subject.name)}
          onChange={event => void watch(place().revision, props.subject.name, event.currentTarget.checked)}
        />
        <span>Live</span>
      </label>
    </Show>
  );
}
