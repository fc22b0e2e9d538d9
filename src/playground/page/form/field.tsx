import { createMemo, createUniqueId, mergeProps, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { type FieldKind, kindOf } from '../schema/kind.js';
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
  const inner: FieldProps = mergeProps(props, {
    get schema() {
      return schema();
    },
    get label() {
      return label();
    },
    id,
    get describedBy() {
      return describedBy();
    },
    get isFlawed() {
      return own().length > 0;
    },
    Field,
    fieldFor: (kind: FieldKind) => FIELDS[kind],
  });
  const head = () => <Head label={label()} isRequired={props.isRequired} />;
  const bounds = () => <Bounds id={`${id}-limits`} text={limits()} />;
  const notes = () => (
    <>
      <Show when={hint()}>
        {text => (
          <p class="hint" id={`${id}-hint`}>
            {text()}
          </p>
        )}
      </Show>
      <Dynamic component={FIELDS[kind()]} {...inner} />
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

function Head(props: { label: string; isRequired: boolean }) {
  return (
    <>
      {props.label}
      <Show when={props.isRequired}>
        <span class="needed" aria-hidden="true">
          required
        </span>
      </Show>
    </>
  );
}

function Bounds(props: { id: string; text: string }) {
  return (
    <Show when={props.text}>
      {text => (
        <p class="limits" id={props.id}>
          {text()}
        </p>
      )}
    </Show>
  );
}
