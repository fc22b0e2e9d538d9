import { For } from 'solid-js';
import { ContentBlock } from './content-block.jsx';
import type { Content } from './media.jsx';

/** The messages of a prompt, or of a question for a model: who says what. */
export function PromptMessages(props: { messages: readonly Content[] }) {
  return (
    <ol class="conversation">
      <For each={props.messages}>
        {message => (
          <li data-role={String(message.role)}>
            <p class="role">{String(message.role)}</p>
            <For each={[message.content].flat() as Content[]}>
              {block => <ContentBlock content={block ?? {}} />}
            </For>
          </li>
        )}
      </For>
    </ol>
  );
}
