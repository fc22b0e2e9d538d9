import { createMemo, For, Show } from 'solid-js';
import type { WireMessage } from '../../api.js';

interface Line {
  readonly level: string;
  readonly logger: string;
  readonly text: string;
}

/** The log messages of a run. */
export function LogList(props: { messages: readonly WireMessage[] }) {
  const lines = createMemo(() => props.messages.flatMap(readLine));
  return (
    <Show when={lines().length > 0}>
      <details class="log">
        <summary>
          Log <span class="count">{lines().length}</span>
        </summary>
        <ol>
          <For each={lines()}>
            {({ level, logger, text }) => (
              <li data-level={level}>
                <span class="level">{level}</span>
                <span class="logger">{logger}</span>
                <span>{text}</span>
              </li>
            )}
          </For>
        </ol>
      </details>
    </Show>
  );
}

function readLine({ message }: WireMessage): Line[] {
  if (message?.method !== 'notifications/message') return [];
  const { level, logger, data } = (message.params ?? {}) as Record<string, unknown>;
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return [{ level: String(level), logger: String(logger ?? ''), text }];
}
