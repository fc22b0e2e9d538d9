import { For } from 'solid-js';
import { go, place } from '../address.js';
import { NEWEST } from '../place.js';
import { connections } from '../state/connections.js';
import { pageState } from '../state/page-state.js';

const NONE = '';

/** The revision to speak, and a second one to compare it with. */
export function RevisionSwitch() {
  const revisions = () => pageState()?.revisions ?? [];
  const newest = () => connections[NEWEST]?.revision;
  return (
    <>
      <label class="setting">
        <span>Revision</span>
        <select
          value={place().revision}
          onChange={event => go({ ...place(), revision: event.currentTarget.value })}
        >
          <option value={NEWEST} selected={place().revision === NEWEST}>
            {newest() === undefined ? 'newest' : `newest (${newest()})`}
          </option>
          <For each={revisions()}>
            {revision => (
              <option value={revision} selected={place().revision === revision}>
                {revision}
              </option>
            )}
          </For>
        </select>
      </label>
      <label class="setting">
        <span>Compare with</span>
        <select
          value={place().compare ?? NONE}
          onChange={event => go({ ...place(), compare: event.currentTarget.value || undefined })}
        >
          <option value={NONE} selected={place().compare === undefined}>
            nothing
          </option>
          <For each={revisions()}>
            {revision => (
              <option value={revision} selected={place().compare === revision}>
                {revision}
              </option>
            )}
          </For>
        </select>
      </label>
    </>
  );
}
