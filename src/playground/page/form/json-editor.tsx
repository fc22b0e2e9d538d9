import { createEffect, createSignal, createUniqueId, Show, untrack } from 'solid-js';
import { readJson, writeJson } from './json-text.js';

interface Props {
  id?: string | undefined;
  value: unknown;
  label: string;
  rows?: number | undefined;
  describedBy?: string | undefined;
  onChange(value: unknown): void;
}

/** JSON to edit. Text that is no JSON yet stays as it is, and the value as it was. */
export function JsonEditor(props: Props) {
  const flawId = createUniqueId();
  const [text, setText] = createSignal('');
  const [flaw, setFlaw] = createSignal<string>();

  createEffect(() => {
    const incoming = writeJson(props.value);
    if (incoming === writeJson(readJson(untrack(text)).value)) return;
    setText(incoming);
    setFlaw(undefined);
  });

  const change = (typed: string) => {
    setText(typed);
    const { value, problem } = readJson(typed);
    setFlaw(problem);
    if (problem === undefined) props.onChange(value);
  };

  return (
    <>
      <textarea
        id={props.id}
        class="json-editor"
        aria-label={props.label}
        aria-invalid={flaw() !== undefined}
        aria-describedby={[props.describedBy, flaw() && flawId].filter(Boolean).join(' ') || undefined}
        rows={props.rows ?? 8}
        spellcheck={false}
        autocapitalize="off"
        value={text()}
        onInput={event => change(event.currentTarget.value)}
      />
      <Show when={flaw()}>
        {message => (
          <p class="flaw" id={flawId}>
            This is no JSON yet: {message()}
          </p>
        )}
      </Show>
    </>
  );
}
