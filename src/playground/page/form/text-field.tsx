import { createResource, createSignal, For, Show } from 'solid-js';
import { numberOf, textOf } from '../schema/schema.js';
import type { FieldProps } from './field-props.js';

const TYPES: Readonly<Record<string, string>> = { email: 'email', uri: 'url', date: 'date' };
/** Texts that may be longer than this get several lines. */
const LINE = 200;

export function TextField(props: FieldProps) {
  const text = () => (typeof props.value === 'string' ? props.value : '');
  const format = () => textOf(props.schema, 'format') ?? '';
  const isLong = () => (numberOf(props.schema, 'maxLength') ?? 0) > LINE || text().includes('\n');
  const change = (typed: string) => props.onChange(typed === '' && !props.isRequired ? undefined : typed);
  const [typed, setTyped] = createSignal<string>();
  const [suggestions] = createResource(typed, value => props.suggest?.(props.path.slice(1), value) ?? []);
  return (
    <Show
      when={isLong()}
      fallback={
        <>
          <input
            id={props.id}
            type={TYPES[format()] ?? 'text'}
            value={text()}
            list={props.suggest && `${props.id}-list`}
            autocomplete="off"
            placeholder={placeholderOf(props)}
            aria-required={props.isRequired}
            aria-invalid={props.isFlawed}
            aria-describedby={props.describedBy}
            onFocus={() => props.suggest && setTyped(text())}
            onInput={event => {
              change(event.currentTarget.value);
              if (props.suggest) setTyped(event.currentTarget.value);
            }}
          />
          <Show when={props.suggest}>
            <datalist id={`${props.id}-list`}>
              <For each={suggestions.latest}>{value => <option value={value} />}</For>
            </datalist>
          </Show>
        </>
      }
    >
      <textarea
        id={props.id}
        rows={4}
        value={text()}
        aria-required={props.isRequired}
        aria-invalid={props.isFlawed}
        aria-describedby={props.describedBy}
        onInput={event => change(event.currentTarget.value)}
      />
    </Show>
  );
}

function placeholderOf({ schema }: FieldProps): string {
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  return typeof example === 'string' ? example : (textOf(schema, 'format') ?? '');
}
