import type { FieldProps } from './field-props.js';
import { JsonEditor } from './json-editor.jsx';

/** A value of which the schema says nothing. */
export function AnyField(props: FieldProps) {
  return (
    <JsonEditor
      id={props.id}
      value={props.value}
      label={`${props.label}, as JSON`}
      rows={3}
      describedBy={props.describedBy}
      onChange={value => props.onChange(value)}
    />
  );
}
