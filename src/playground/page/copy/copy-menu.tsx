import { Show } from 'solid-js';
import { place } from '../address.js';
import { CopyButton } from '../parts/copy-button.jsx';
import { connections } from '../state/connections.js';
import { pageState } from '../state/page-state.js';
import { toCurl, toShell, toTypeScript } from './snippets.js';

interface Props {
  method: string;
  params: Record<string, unknown>;
  /** The address of the page with this form, if it can be linked to. */
  link?: (() => string) | undefined;
}

/** Copies a request for use elsewhere. */
export function CopyMenu(props: Props) {
  const revision = () => connections[place().revision]?.revision ?? place().revision;
  return (
    <details class="menu">
      <summary>Copy as …</summary>
      <div class="menu-items">
        <Show when={pageState()}>
          {state => (
            <>
              <CopyButton label="tenon" text={() => toShell(state(), props.method, props.params)} />
              <CopyButton label="TypeScript" text={() => toTypeScript(state(), props.method, props.params)} />
              <Show when={state().url}>
                {url => (
                  <CopyButton
                    label="curl"
                    text={() => toCurl(url(), revision(), props.method, props.params)}
                  />
                )}
              </Show>
            </>
          )}
        </Show>
        <Show when={props.link}>{link => <CopyButton label="Link to this form" text={link()} />}</Show>
      </div>
    </details>
  );
}
