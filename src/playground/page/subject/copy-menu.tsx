import { Show } from 'solid-js';
import { linkTo, place, type Subject } from '../address.js';
import { CopyButton } from '../parts/copy-button.jsx';
import { pageState } from '../state/page-state.js';
import { runsOf } from '../state/runs.js';
import { toCurl, toShell, toTypeScript } from './snippets.js';
import type { Task } from './task.js';

/** Copies the request for use elsewhere. */
export function CopyMenu(props: { subject: Subject; task: Task; value: unknown }) {
  const params = () => props.task.toParams(props.value as Record<string, unknown>);
  const sent = () =>
    runsOf(props.subject)[0]?.messages.find(({ direction, headers }) => direction === 'sent' && headers);
  const link = () => {
    const { revision, compare } = place();
    const args = JSON.stringify(props.value);
    return new URL(linkTo({ subject: props.subject, revision, compare, args }), location.href).href;
  };
  return (
    <details class="menu">
      <summary>Copy as …</summary>
      <div class="menu-items">
        <Show when={pageState()}>
          {state => (
            <>
              <CopyButton label="tenon" text={() => toShell(state(), props.task.method, params())} />
              <CopyButton
                label="TypeScript"
                text={() => toTypeScript(state(), props.task.method, params())}
              />
              <Show when={state().url === undefined ? undefined : sent()}>
                {message => <CopyButton label="curl" text={() => toCurl(state().url ?? '', message())} />}
              </Show>
            </>
          )}
        </Show>
        <CopyButton label="Link to this form" text={link} />
      </div>
    </details>
  );
}
