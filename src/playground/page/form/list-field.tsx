import { Index, Show } from 'solid-js';
import { below } from '../schema/check.js';
import { initialValue } from '../schema/initial-value.js';
import type { FieldProps } from './field-props.js';

/** Entries that can be added, removed and moved. */
export function ListField(props: FieldProps) {
  const list = () => (Array.isArray(props.value) ? (props.value as unknown[]) : []);
  const add = () => props.onChange([...list(), initialValue(props.schema.items, props.root) ?? null]);
  const set = (at: number, value: unknown) => props.onChange(list().with(at, value ?? null));
  const remove = (at: number) => {
    const rest = list().toSpliced(at, 1);
    props.onChange(rest.length === 0 && !props.isRequired ? undefined : rest);
  };
  const moveUp = (at: number) => {
    const item = list()[at];
    props.onChange(
      list()
        .toSpliced(at, 1)
        .toSpliced(at - 1, 0, item),
    );
  };
  return (
    <div class="entries">
      <Index each={list()}>
        {(item, at) => (
          <div class="entry">
            <props.Field
              schema={props.schema.items}
              root={props.root}
              name={`${props.label} ${at + 1}`}
              path={below(props.path, at)}
              value={item()}
              isRequired={true}
              flaws={props.flaws}
              onChange={value => set(at, value)}
            />
            <div class="entry-actions">
              <Show when={at > 0}>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Move ${props.label} ${at + 1} up`}
                  onClick={() => moveUp(at)}
                >
                  ↑
                </button>
              </Show>
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove ${props.label} ${at + 1}`}
                onClick={() => remove(at)}
              >
                ×
              </button>
            </div>
          </div>
        )}
      </Index>
      <button type="button" class="quiet" onClick={add}>
        Add an entry
      </button>
    </div>
  );
}
