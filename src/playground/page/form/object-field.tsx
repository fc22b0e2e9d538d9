import { For, Show } from 'solid-js';
import { below } from '../schema/check.js';
import { initialValue } from '../schema/initial-value.js';
import { isRequired, isSchema, memberOf, propertiesOf } from '../schema/schema.js';
import type { FieldProps } from './field-props.js';

/** The members of an object. One that may be absent is opened on demand, so that schemas can contain themselves. */
export function ObjectField(props: FieldProps) {
  const object = () => (isSchema(props.value) ? props.value : undefined);
  return (
    <Show
      when={object()}
      fallback={
        <button
          type="button"
          class="quiet"
          onClick={() => props.onChange(initialValue(props.schema, props.root) ?? {})}
        >
          Add {props.label}
        </button>
      }
    >
      {value => (
        <div class="members">
          <Members {...props} value={value()} onChange={next => props.onChange(next)} />
          <Show when={!props.isRequired && props.path !== ''}>
            <button type="button" class="quiet" onClick={() => props.onChange(undefined)}>
              Remove {props.label}
            </button>
          </Show>
        </div>
      )}
    </Show>
  );
}

/** The fields of an object's properties. */
export function Members(
  props: Pick<FieldProps, 'schema' | 'root' | 'path' | 'value' | 'flaws' | 'suggest' | 'Field' | 'onChange'>,
) {
  const object = () => (isSchema(props.value) ? props.value : {});
  const change = (name: string, value: unknown) => {
    const { [name]: _, ...others } = object();
    props.onChange(value === undefined ? others : { ...object(), [name]: value });
  };
  return (
    <For each={propertiesOf(props.schema)}>
      {([name, schema]) => (
        <props.Field
          schema={schema}
          root={props.root}
          name={name}
          path={below(props.path, name)}
          value={memberOf(object(), name)}
          isRequired={isRequired(props.schema, name)}
          flaws={props.flaws}
          suggest={props.suggest}
          onChange={value => change(name, value)}
        />
      )}
    </For>
  );
}
