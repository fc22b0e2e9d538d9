import { Show } from 'solid-js';
import { JsonView } from '../parts/json-view.jsx';
import type { Content } from '../result/media.jsx';
import { PromptMessages } from '../result/prompt-messages.jsx';
import type { WaitingQuestion } from '../state/questions.js';
import { TextAnswer } from './text-answer.jsx';

/** A question for a model. The page has none, so the user writes its answer. */
export function ModelQuestion(props: { question: WaitingQuestion }) {
  const params = () => props.question.params;
  const messages = () => (Array.isArray(params().messages) ? (params().messages as Content[]) : []);
  const details = () => {
    const { messages: _, systemPrompt: __, ...rest } = params();
    return rest;
  };
  return (
    <TextAnswer
      question={props.question}
      label="The model’s answer"
      hint="This page has no model: you play it."
      toResult={text => ({
        role: 'assistant',
        content: { type: 'text', text },
        model: 'written-by-hand',
        stopReason: 'endTurn',
      })}
    >
      <Show when={typeof params().systemPrompt === 'string'}>
        <p class="system-prompt">
          <span class="role">system</span>
          {String(params().systemPrompt)}
        </p>
      </Show>
      <PromptMessages messages={messages()} />
      <JsonView name="details" value={details()} open={0} />
    </TextAnswer>
  );
}
