import { onCleanup, onMount, Show } from 'solid-js';
import { place } from '../address.js';
import { CopyButton } from '../parts/copy-button.jsx';
import { NEWEST, type Subject } from '../place.js';
import { findItem } from '../state/catalog.js';
import { connections } from '../state/connections.js';
import { pageState } from '../state/page-state.js';
import { toCurl } from './curl.js';
import { toShell, toTypeScript } from './snippets.js';

interface Props {
  subject: Subject;
  method: string;
  params: Record<string, unknown>;
  /** The address of the page with this form, if it can be linked to. */
  link?: (() => string) | undefined;
}

/** Copies a request for use elsewhere. */
export function CopyMenu(props: Props) {
  const request = () => {
    const { revision } = place();
    const { method, params } = props;
    return { method, params, revision: revision === NEWEST ? undefined : revision };
  };
  const curl = (url: string) => {
    const { revision } = place();
    const item = findItem(revision, props.subject);
    const inputSchema = item && 'inputSchema' in item ? item.inputSchema : undefined;
    return toCurl({
      ...request(),
      url,
      revision: connections[revision]?.revision ?? revision,
      inputSchema,
    });
  };
  let menu: HTMLDetailsElement | undefined;
  const closeOnClickElsewhere = (event: MouseEvent) => {
    if (menu && !menu.contains(event.target as Node)) menu.open = false;
  };
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menu?.open) return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  };
  onMount(() => document.addEventListener('click', closeOnClickElsewhere));
  onCleanup(() => document.removeEventListener('click', closeOnClickElsewhere));
  return (
    <details class="menu" ref={menu} onKeyDown={closeOnEscape}>
      <summary>Copy as …</summary>
      <div class="menu-items">
        <Show when={pageState()}>
          {state => (
            <>
              <CopyButton label="tenon" text={() => toShell(state(), request())} />
              <CopyButton label="TypeScript" text={() => toTypeScript(state(), request())} />
              <Show when={state().url}>{url => <CopyButton label="curl" text={() => curl(url())} />}</Show>
            </>
          )}
        </Show>
        <Show when={props.link}>{link => <CopyButton label="Link to this form" text={link()} />}</Show>
      </div>
    </details>
  );
}
