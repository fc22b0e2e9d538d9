import { createSignal, For } from 'solid-js';
import { below } from '../schema/check.js';
import { initialValue } from '../schema/initial-value.js';
import { isSchema, memberOf } from '../schema/schema.js';
import type { FieldProps } from './field-props.js';

/** Members whose names the user chooses. */
export function MapField(props: FieldProps) {
  const [name, setName] = createSignal('');
  const object = () => (isSchema(props.value) ? props.value : {});
  const schema = () => (isSchema(props.schema.additionalProperties) ? props.schema.additionalProperties : {});
  const add = () => {
    if (name() === '' || Object.hasOwn(object(), name())) return;
    props.onChange({ ...object(), [name()]: initialValue(schema(), props.root) ?? null });
    setName('');
  };
  const remove = (name: string) => {
    const { [name]: _, ...others } = object();
    props.onChange(others);
  };
  return (
    <div class="entries">
      <For each={Object.keys(object())}>
        {name => (
          <div class="entry">
            <props.Field
              schema={schema()}
              root={props.root}
              name={name}
              path={below(props.path, name)}
              value={memberOf(object(), name)}
              isRequired={true}
              flaws={props.flaws}
              onChange={value => props.onChange({ ...object(), [name]: value ?? null })}
            />
            <button
              type="button"
              class="icon-button"
              aria-label={`Remove ${name}`}
              onClick={() => remove(name)}
            >
              ×
            </button>
          </div>
        )}
      </For>
      <div class="add-row">
        <input
          aria-label={`Name of a new entry of ${props.label}`}
          placeholder="name"
          value={name()}
          onInput={event => setName(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            add();
          }}
        />
        <button type="button" class="quiet" disabled={name() === ''} onClick={add}>
          Add
        </button>
      </div>
    </div>
  );
}
