import { createEffect, createMemo, createSignal, For, Show, untrack } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { check } from '../schema/check.js';
import { initialValue } from '../schema/initial-value.js';
import { kindOf, labelsOf, variantsOf } from '../schema/kind.js';
import type { FieldProps } from './field-props.js';
import { GROUPS } from './groups.js';

/** A value of one of several schemas, which the user chooses first. */
export function UnionField(props: FieldProps) {
  const variants = createMemo(() => variantsOf(props.schema, props.root));
  const [chosen, setChosen] = createSignal(fitting());
  const variant = () => variants()[chosen()];

  function fitting(): number {
    if (props.value === undefined) return -1;
    const fits = variants().findIndex(variant => check(props.value, variant, props.root).length === 0);
    return fits < 0 ? variants().findIndex(variant => kindMatches(props.value, kindOf(variant))) : fits;
  }

  // The value may also change in the JSON beside the form.
  createEffect(() => {
    const { value } = props;
    const current = untrack(variant);
    if (value === undefined || (current && kindMatches(value, kindOf(current)))) return;
    setChosen(untrack(fitting));
  });

  const choose = (at: number) => {
    setChosen(at);
    const schema = variants()[at];
    props.onChange(schema && initialValue(schema, props.root));
  };

  return (
    <div class="members">
      <select
        aria-label={`Kind of ${props.label}`}
        onChange={event => choose(Number(event.currentTarget.value))}
      >
        <Show when={!props.isRequired || chosen() < 0}>
          <option value={-1} selected={chosen() < 0}>
            {props.isRequired ? 'Choose …' : 'Not set'}
          </option>
        </Show>
        <For each={labelsOf(variants())}>
          {(label, at) => (
            <option value={at()} selected={chosen() === at()}>
              {label}
            </option>
          )}
        </For>
      </select>
      <Show when={variant()} keyed>
        {schema => (
          <Show when={kindOf(schema) !== 'null' && kindOf(schema) !== 'constant'}>
            <Show when={!GROUPS.has(kindOf(schema))}>
              <label class="visually-hidden" for={props.id}>
                {props.label}
              </label>
            </Show>
            <Dynamic
              component={props.fieldFor(kindOf(schema))}
              schema={schema}
              root={props.root}
              label={props.label}
              path={props.path}
              id={props.id}
              value={props.value}
              isRequired={true}
              describedBy={props.describedBy}
              isFlawed={props.isFlawed}
              flaws={props.flaws}
              suggest={props.suggest}
              Field={props.Field}
              fieldFor={props.fieldFor}
              onChange={props.onChange}
            />
          </Show>
        )}
      </Show>
    </div>
  );
}

function kindMatches(value: unknown, kind: string): boolean {
  if (kind === 'any' || kind === 'choice' || kind === 'union') return true;
  if (value === null) return kind === 'null';
  if (Array.isArray(value)) return kind === 'list' || kind === 'choices';
  if (typeof value === 'object') return kind === 'object' || kind === 'map';
  return typeof value === 'string' ? kind === 'text' : typeof value === kind;
}
