import { createSignal } from 'solid-js';
import { SchemaForm } from '../form/schema-form.jsx';
import { check } from '../schema/check.js';
import { initialValue } from '../schema/initial-value.js';
import { isSchema } from '../schema/schema.js';
import { answer, type WaitingQuestion } from '../state/questions.js';

/** A question with a form. */
export function FormQuestion(props: { question: WaitingQuestion }) {
  const requested = props.question.params.requestedSchema;
  const schema = isSchema(requested) ? requested : {};
  const [value, setValue] = createSignal<unknown>(initialValue(schema, schema) ?? {});
  const [isChecked, setChecked] = createSignal(false);
  const flaws = () => (isChecked() ? check(value(), schema, schema) : []);
  const accept = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (flaws().length === 0) reply({ action: 'accept', content: value() });
  };
  const reply = (result: Record<string, unknown>) => void answer(props.question, { result });
  return (
    <form novalidate onSubmit={accept}>
      <p class="question-text">{String(props.question.params.message ?? '')}</p>
      <SchemaForm
        schema={schema}
        value={value()}
        flaws={flaws()}
        empty="There is nothing to fill in."
        onChange={setValue}
      />
      <div class="actions">
        <button type="submit" class="primary">
          Send the answer
        </button>
        <button type="button" onClick={() => reply({ action: 'decline' })}>
          Decline
        </button>
        <button type="button" class="quiet" onClick={() => reply({ action: 'cancel' })}>
          Cancel the question
        </button>
      </div>
    </form>
  );
}
