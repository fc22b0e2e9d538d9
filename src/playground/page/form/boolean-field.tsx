import { For } from 'solid-js';
import type { FieldProps } from './field-props.js';

const YES_NO = [
  { value: true, label: 'Yes' },
  { value: false, label: 'No' },
] as const;
const UNSET = { value: undefined, label: 'Not set' } as const;

/** Yes or no. A value that may be absent has a third choice. */
export function BooleanField(props: FieldProps) {
  const choices = () => (props.isRequired ? YES_NO : [...YES_NO, UNSET]);
  return (
    <div class="segments">
      <For each={choices()}>
        {choice => (
          <label>
            <input
              type="radio"
              name={props.id}
              checked={props.value === choice.value}
              onChange={() => props.onChange(choice.value)}
            />
            <span>{choice.label}</span>
          </label>
        )}
      </For>
    </div>
  );
}
