import { Show } from 'solid-js';
import type { Flaw } from '../schema/check.js';
import { propertiesOf, resolve, type Schema } from '../schema/schema.js';
import type { Suggest } from './field-props.js';
import { Members } from './object-field.jsx';

interface Props {
  schema: Schema;
  value: unknown;
  flaws: readonly Flaw[];
  suggest?: Suggest | undefined;
  /** What to say if there is nothing to fill in. */
  empty: string;
  onChange(value: unknown): void;
}

/** The fields of an object's schema. */
export function SchemaForm(props: Props) {
  const schema = () => resolve(props.schema, props.schema);
  return (
    <Show when={propertiesOf(schema()).length > 0} fallback={<p class="muted">{props.empty}</p>}>
      <Members
        schema={schema()}
        root={props.schema}
        path=""
        value={props.value}
        flaws={props.flaws}
        suggest={props.suggest}
        onChange={props.onChange}
      />
    </Show>
  );
}
