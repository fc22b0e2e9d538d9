import { createMemo, Match, Switch } from 'solid-js';
import type { Flaw } from '../schema/check.js';
import { kindOf } from '../schema/kind.js';
import { propertiesOf, resolve, type Schema } from '../schema/schema.js';
import { Field } from './field.jsx';
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

/** The fields of a schema: of an object's properties, or of the variants of which one has to be chosen. */
export function SchemaForm(props: Props) {
  const schema = createMemo(() => resolve(props.schema, props.schema));
  const isOpen = () => kindOf(schema()) === 'union' || typeof schema().additionalProperties === 'object';
  return (
    <Switch fallback={<p class="muted">{props.empty}</p>}>
      <Match when={propertiesOf(schema()).length > 0}>
        <Members
          schema={schema()}
          root={props.schema}
          path=""
          value={props.value}
          flaws={props.flaws}
          suggest={props.suggest}
          Field={Field}
          onChange={props.onChange}
        />
      </Match>
      <Match when={isOpen()}>
        <Field
          schema={schema()}
          root={props.schema}
          name="Values"
          path=""
          value={props.value}
          isRequired={true}
          flaws={props.flaws}
          onChange={props.onChange}
        />
      </Match>
    </Switch>
  );
}
