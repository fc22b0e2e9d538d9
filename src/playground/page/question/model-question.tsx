import { createSignal, createUniqueId, Show } from 'solid-js';
import { JsonView } from '../parts/json-view.jsx';
import type { Content } from '../result/media.jsx';
import { PromptMessages } from '../result/prompt-messages.jsx';
import { answer, type WaitingQuestion } from '../state/questions.js';

/** A question for a model. The page has none, so the user writes its answer. */
export function ModelQuestion(props: { question: WaitingQuestion }) {
  const id = createUniqueId();
  const [text, setText] = createSignal('');
  const params = () => props.question.params;
  const messages = () => (Array.isArray(params().messages) ? (params().messages as Content[]) : []);
  const details = () => {
    const { messages: _, systemPrompt: __, ...rest } = params();
    return rest;
  };
  const accept = (event: SubmitEvent) => {
    event.preventDefault();
    const content = { type: 'text', text: text() };
    const result = { role: 'assistant', content, model: 'written-by-hand', stopReason: 'endTurn' };
    void answer(props.question, { result });
  };
  return (
    <form onSubmit={accept}>
      <Show when={typeof params().systemPrompt === 'string'}>
        <p class="muted">System: {String(params().systemPrompt)}</p>
      </Show>
      <PromptMessages messages={messages()} />
      <JsonView name="details" value={details()} open={0} />
      <div class="field">
        <label class="label" for={id}>
          The model’s answer
        </label>
        <p class="hint">This page has no model: you play it.</p>
        <textarea id={id} rows={3} value={text()} onInput={event => setText(event.currentTarget.value)} />
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          Send the answer
        </button>
        <button type="button" onClick={() => void answer(props.question, { refused: true })}>
          Refuse
        </button>
      </div>
    </form>
  );
}
