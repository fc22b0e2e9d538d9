import type { FieldProps } from './field-props.js';

/** A value that cannot be chosen. One that may be absent can be left out. */
export function ConstantField(props: FieldProps) {
  const constant = () => ('const' in props.schema ? props.schema.const : null);
  return (
    <span class="check">
      <input
        id={props.id}
        type="checkbox"
        checked={props.value !== undefined}
        disabled={props.isRequired && props.value !== undefined}
        aria-describedby={props.describedBy}
        onChange={event => props.onChange(event.currentTarget.checked ? constant() : undefined)}
      />
      <code>{JSON.stringify(constant())}</code>
    </span>
  );
}
