import { createSignal, createUniqueId, type JSX } from 'solid-js';
import { answer, type WaitingQuestion } from '../state/questions.js';

interface Props {
  question: WaitingQuestion;
  label: string;
  hint: string;
  placeholder?: string;
  /** The result that the server gets for the text. */
  toResult(text: string): Record<string, unknown>;
  /** What is shown above the text. */
  children?: JSX.Element;
}

/** A question that is answered with a text, or refused. */
export function TextAnswer(props: Props) {
  const id = createUniqueId();
  const [text, setText] = createSignal('');
  const accept = (event: SubmitEvent) => {
    event.preventDefault();
    void answer(props.question, { result: props.toResult(text()) });
  };
  return (
    <form onSubmit={accept}>
      {props.children}
      <div class="field">
        <label class="label" for={id}>
          {props.label}
        </label>
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
        <textarea
          id={id}
          rows={3}
          placeholder={props.placeholder}
          aria-describedby={`${id}-hint`}
          value={text()}
          onInput={event => setText(event.currentTarget.value)}
        />
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
