import { createMemo, Index, Show } from 'solid-js';
import { inShort } from '../parts/duration.js';
import { connections } from '../state/connections.js';
import type { Run } from '../state/runs.js';
import { describe } from './describe.js';
import { MessageRow } from './message-row.jsx';
import { type Round, splitRounds } from './rounds.js';

/** Every message of a run between client and server, in both directions, with its rounds. */
export function Timeline(props: { run: Run }) {
  const rounds = createMemo(() => splitRounds(describe(props.run.messages), props.run.method));
  const revision = () => connections[props.run.connection]?.revision ?? props.run.connection;
  return (
    <section class="timeline" aria-label={`Messages on revision ${revision()}`}>
      <header class="timeline-head">
        <span class="party">Client</span>
        <span class="revision">{revision()}</span>
        <span class="party">Server</span>
      </header>
      <Show
        when={props.run.messages.length > 0}
        fallback={<p class="muted pad">Waiting for the first message …</p>}
      >
        <Index each={rounds()}>
          {round => (
            <section class="round" classList={{ only: rounds().length === 1 }}>
              <Show when={rounds().length > 1}>
                <h3 class="round-title">Round {round().number}</h3>
              </Show>
              <ol class="messages">
                <Index each={round().rows}>{row => <MessageRow row={row()} />}</Index>
              </ol>
            </section>
          )}
        </Index>
        <Show when={props.run.appMessages.length > 0}>
          <section class="round">
            <h3 class="round-title">For the app</h3>
            <ol class="messages">
              <Index each={describe(props.run.appMessages)}>{row => <MessageRow row={row()} />}</Index>
            </ol>
          </section>
        </Show>
        <p class="timeline-foot muted">{summary(props.run, rounds())}</p>
      </Show>
    </section>
  );
}

/** Its time is that of the last row: what the page needs to show the result is no message. */
function summary({ messages, state }: Run, rounds: readonly Round[]): string {
  const parts = [`${messages.length} messages`];
  if (rounds.length > 1) parts.push(`${rounds.length} rounds`);
  parts.push(state === 'running' ? 'still running' : inShort(rounds.at(-1)?.rows.at(-1)?.offsetMs ?? 0));
  return parts.join(' · ');
}
