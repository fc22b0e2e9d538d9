import { For } from 'solid-js';
import { choicesOf } from '../schema/kind.js';
import { isSchema } from '../schema/schema.js';
import type { FieldProps } from './field-props.js';

/** Any number of several values. */
export function ChoicesField(props: FieldProps) {
  const choices = () => (isSchema(props.schema.items) && choicesOf(props.schema.items)) || [];
  const chosen = () => (Array.isArray(props.value) ? props.value : []);
  const toggle = (value: unknown, isChosen: boolean) => {
    const wanted = new Set(isChosen ? [...chosen(), value] : chosen().filter(other => other !== value));
    // In the order in which they are shown, whatever the order of the clicks.
    props.onChange(
      choices()
        .map(choice => choice.value)
        .filter(one => wanted.has(one)),
    );
  };
  return (
    <div class="checks">
      <For each={choices()}>
        {choice => (
          <label class="check">
            <input
              type="checkbox"
              checked={chosen().includes(choice.value)}
              onChange={event => toggle(choice.value, event.currentTarget.checked)}
            />
            <span>{choice.label}</span>
          </label>
        )}
      </For>
    </div>
  );
}
