import { numberOf } from '../schema/schema.js';
import type { FieldProps } from './field-props.js';

export function NumberField(props: FieldProps) {
  const change = (input: HTMLInputElement) => {
    // Half a number, such as "1e", reads as NaN: the value stays until it is whole.
    if (input.value === '' && !input.validity.badInput) props.onChange(undefined);
    else if (!Number.isNaN(input.valueAsNumber)) props.onChange(input.valueAsNumber);
  };
  return (
    <input
      id={props.id}
      class="number"
      type="number"
      value={typeof props.value === 'number' ? props.value : ''}
      min={numberOf(props.schema, 'minimum')}
      max={numberOf(props.schema, 'maximum')}
      step={numberOf(props.schema, 'multipleOf') ?? (props.schema.type === 'integer' ? 1 : 'any')}
      aria-required={props.isRequired}
      aria-invalid={props.isFlawed}
      aria-describedby={props.describedBy}
      onInput={event => change(event.currentTarget)}
    />
  );
}
