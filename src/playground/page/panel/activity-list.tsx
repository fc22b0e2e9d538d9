import { For, Match, Switch } from 'solid-js';
import { activity } from '../state/activity.js';
import { describe } from '../timeline/describe.js';
import { MessageRow } from '../timeline/message-row.jsx';

/** Everything besides the calls: the handshake, lists, warnings, and what the program writes to standard error. */
export function ActivityList() {
  return (
    <ol class="messages activity">
      <For each={activity} fallback={<li class="empty">Nothing has happened yet.</li>}>
        {item => (
          <Switch>
            <Match when={item.type === 'message' && item}>
              {message => <For each={describe([message().traffic])}>{row => <MessageRow row={row} />}</For>}
            </Match>
            <Match when={item.type !== 'message' && item}>
              {note => (
                <li class="note" data-type={note().type}>
                  <span class="level">{note().type}</span>
                  <span class="mono">{note().text}</span>
                </li>
              )}
            </Match>
          </Switch>
        )}
      </For>
    </ol>
  );
}
