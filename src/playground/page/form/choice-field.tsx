import { For, Show } from 'solid-js';
import { choicesOf } from '../schema/kind.js';
import type { FieldProps } from './field-props.js';

const NONE = '';

/** One of several values. */
export function ChoiceField(props: FieldProps) {
  const choices = () => choicesOf(props.schema) ?? [];
  const chosen = () =>
    choices().findIndex(({ value }) => JSON.stringify(value) === JSON.stringify(props.value));
  return (
    <select
      id={props.id}
      aria-required={props.isRequired}
      aria-invalid={props.isFlawed}
      aria-describedby={props.describedBy}
      onChange={event => props.onChange(choices()[Number(event.currentTarget.value || -1)]?.value)}
    >
      <Show when={!props.isRequired || chosen() < 0}>
        <option value={NONE} selected={chosen() < 0}>
          {props.isRequired ? 'Choose …' : 'Not set'}
        </option>
      </Show>
      <For each={choices()}>
        {(choice, at) => (
          <option value={at()} selected={at() === chosen()}>
            {choice.label}
          </option>
        )}
      </For>
    </select>
  );
}
