import { createMemo, createUniqueId, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { kindOf } from '../schema/kind.js';
import { limitsOf } from '../schema/limits.js';
import { resolve, textOf } from '../schema/schema.js';
import type { FieldProps, NestedFieldProps } from './field-props.js';
import { FIELDS } from './fields.js';
import { GROUPS } from './groups.js';

/** A field for a value of any schema, with its label, its description and what is wrong with it. */
export function Field(props: NestedFieldProps) {
  const id = createUniqueId();
  const schema = createMemo(() => resolve(props.schema, props.root));
  const kind = createMemo(() => kindOf(schema()));
  const label = () => textOf(schema(), 'title') ?? props.name;
  const hint = () => textOf(schema(), 'description');
  const limits = () => limitsOf(schema()).join(', ');
  const own = () => props.flaws.filter(flaw => flaw.path === props.path).map(flaw => flaw.message);
  const describedBy = () =>
    [hint() && `${id}-hint`, limits() && `${id}-limits`, own().length > 0 && `${id}-flaw`]
      .filter(Boolean)
      .join(' ') || undefined;
  const inner = (): FieldProps => ({
    get schema() {
      return schema();
    },
    get root() {
      return props.root;
    },
    get label() {
      return label();
    },
    get path() {
      return props.path;
    },
    id,
    get value() {
      return props.value;
    },
    get isRequired() {
      return props.isRequired;
    },
    get describedBy() {
      return describedBy();
    },
    get isFlawed() {
      return own().length > 0;
    },
    get flaws() {
      return props.flaws;
    },
    get suggest() {
      return props.suggest;
    },
    Field,
    fieldFor: kind => FIELDS[kind],
    onChange: value => props.onChange(value),
  });
  const head = () => (
    <>
      {label()}
      <Show when={props.isRequired}>
        <span class="needed" aria-hidden="true">
          required
        </span>
      </Show>
    </>
  );
  const bounds = () => (
    <Show when={limits()}>
      {text => (
        <p class="limits" id={`${id}-limits`}>
          {text()}
        </p>
      )}
    </Show>
  );
  const notes = () => (
    <>
      <Show when={hint()}>
        {text => (
          <p class="hint" id={`${id}-hint`}>
            {text()}
          </p>
        )}
      </Show>
      <Dynamic component={FIELDS[kind()]} {...inner()} />
      <Show when={own().length > 0}>
        <p class="flaw" id={`${id}-flaw`}>
          {label()} {own().join(', and ')}
        </p>
      </Show>
    </>
  );
  return (
    <Show
      when={GROUPS.has(kind())}
      fallback={
        <div class="field">
          <div class="label-row">
            <label for={id} class="label">
              {head()}
            </label>
            {bounds()}
          </div>
          {notes()}
        </div>
      }
    >
      <fieldset class="field group" aria-describedby={describedBy()}>
        <legend class="label">{head()}</legend>
        {bounds()}
        {notes()}
      </fieldset>
    </Show>
  );
}
