import { createMemo, Index, Match, Switch } from 'solid-js';
import { activity } from '../state/activity.js';
import { describe } from '../timeline/describe.js';
import { MessageRow } from '../timeline/message-row.jsx';

/** Everything besides the calls: the handshake, lists, warnings, and what the program writes to standard error. */
export function ActivityList() {
  const rows = createMemo(() => {
    const messages = activity.flatMap(item => (item.type === 'message' ? [item.traffic] : []));
    return new Map(describe(messages).map(row => [row.wire, row]));
  });
  return (
    <ol class="messages activity">
      <Index each={activity} fallback={<li class="empty">Nothing has happened yet.</li>}>
        {item => {
          const row = () => {
            const shown = item();
            return shown.type === 'message' ? rows().get(shown.traffic) : undefined;
          };
          const note = () => {
            const shown = item();
            return shown.type === 'message' ? undefined : shown;
          };
          return (
            <Switch>
              <Match when={row()}>{shown => <MessageRow row={shown()} />}</Match>
              <Match when={note()}>
                {shown => (
                  <li class="note" data-type={shown().type}>
                    <span class="level">{shown().type === 'standard-error' ? 'stderr' : shown().type}</span>
                    <span>{shown().text}</span>
                  </li>
                )}
              </Match>
            </Switch>
          );
        }}
      </Index>
    </ol>
  );
}
