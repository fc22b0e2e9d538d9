import { createEffect, createMemo, createSignal, Show } from 'solid-js';
import { place } from '../address.js';
import { command } from '../backend.js';
import { CopyMenu } from '../copy/copy-menu.jsx';
import type { Suggest } from '../form/field-props.js';
import { JsonEditor } from '../form/json-editor.jsx';
import { SchemaForm } from '../form/schema-form.jsx';
import { linkTo, type Subject } from '../place.js';
import { check } from '../schema/check.js';
import { initialValue } from '../schema/initial-value.js';
import { isSchema, propertiesOf, resolve } from '../schema/schema.js';
import { connections } from '../state/connections.js';
import { draftOf } from '../state/drafts.js';
import { cancelRun, runsOf } from '../state/runs.js';
import type { Task } from './task.js';

interface Props {
  subject: Subject;
  task: Task;
  onSend(value: Record<string, unknown>): void;
}

/** The form of a request, and the same values as JSON beside it. */
export function RequestForm(props: Props) {
  const draft = createMemo(() =>
    draftOf(props.subject, () => initialValue(props.task.schema, props.task.schema) ?? {}),
  );
  const args = createMemo(() => place().args);
  createEffect(() => {
    const given = readArgs(args());
    if (given !== undefined) draft()[1](() => given);
  });
  const value = () => draft()[0]();
  const setValue = (next: unknown) => draft()[1](() => next ?? {});
  const [isChecked, setChecked] = createSignal(false);
  const flaws = () => (isChecked() ? check(value(), props.task.schema, props.task.schema) : []);
  const hasFields = () =>
    propertiesOf(resolve(props.task.schema, props.task.schema)).length > 0 || props.subject.kind === 'tool';
  const running = () => runsOf(props.subject).filter(run => run.state === 'running');
  const canSend = () => ['connected', 'closed'].includes(connections[place().revision]?.state ?? '');

  const object = () => (isSchema(value()) ? { ...(value() as object) } : {});
  const send = () => {
    props.onSend(object());
    setChecked(false);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (flaws().length === 0) send();
    else document.querySelector<HTMLElement>('.subject [aria-invalid="true"]')?.focus();
  };

  return (
    <form class="request" novalidate aria-label={`Values for ${props.subject.name}`} onSubmit={submit}>
      <Show when={hasFields()}>
        <div class="both-forms">
          <div class="fields">
            <SchemaForm
              schema={props.task.schema}
              value={value()}
              flaws={flaws()}
              suggest={suggestFor(props.task, value)}
              empty="It takes no arguments."
              onChange={setValue}
            />
          </div>
          <details class="raw" open>
            <summary>JSON</summary>
            <JsonEditor label="The same values as JSON" value={value()} onChange={setValue} />
          </details>
        </div>
      </Show>
      <div class="actions">
        <button type="submit" class="primary" disabled={!canSend()}>
          {props.task.verb}{' '}
          <span class="key" aria-hidden="true">
            Ctrl ↵
          </span>
        </button>
        <Show when={flaws().length > 0}>
          <button type="button" onClick={send}>
            Send anyway
          </button>
        </Show>
        <Show when={running().length > 0}>
          <button type="button" onClick={() => running().forEach(cancelRun)}>
            Cancel
          </button>
        </Show>
        <CopyMenu
          subject={props.subject}
          method={props.task.method}
          params={props.task.toParams(object())}
          link={() => linkWith(props.subject, value())}
        />
      </div>
    </form>
  );
}

/** A link to this place that brings the values along. */
function linkWith(subject: Subject, value: unknown): string {
  const { revision, compare } = place();
  const args = JSON.stringify(value);
  return new URL(linkTo({ subject, revision, compare, args }), location.href).href;
}

/** Arguments that came with the address. */
function readArgs(args = ''): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return undefined;
  }
}

/** Asks the server to complete values, if it can. */
function suggestFor({ reference }: Task, value: () => unknown): Suggest | undefined {
  const connection = place().revision;
  if (!reference || !connections[connection]?.server?.capabilities.completions) return undefined;
  return async (name, typed) => {
    const params = {
      ref: reference,
      argument: { name, value: typed },
      context: { arguments: value() },
    };
    const call = crypto.randomUUID();
    try {
      const { completion } = await command('request', {
        connection,
        call,
        method: 'completion/complete',
        params,
      });
      return isSchema(completion) && Array.isArray(completion.values) ? completion.values.map(String) : [];
    } catch {
      return [];
    }
  };
}
