import { Show } from 'solid-js';
import { place } from '../address.js';
import { IconImage } from '../parts/icon-image.jsx';
import { linkTo } from '../place.js';
import { connections } from '../state/connections.js';
import { pageState } from '../state/page-state.js';
import { ConnectionBadge } from './connection-badge.jsx';
import { RevisionSwitch } from './revision-switch.jsx';
import { ThemeSwitch } from './theme-switch.jsx';

/** The server's name, the connection, and the settings of the page. */
export function Header() {
  const info = () => connections[place().revision]?.server?.info;
  const name = () => info()?.title ?? info()?.name ?? pageState()?.target ?? 'Tenon';
  return (
    <header class="top">
      <a class="server" href={linkTo({ ...place(), subject: undefined })}>
        <IconImage icons={info()?.icons} letter={name()} />
        <span class="server-text">
          <span class="server-name">{name()}</span>
          <Show when={pageState()?.target !== name()}>
            <span class="server-target mono">{pageState()?.target}</span>
          </Show>
        </span>
        <Show when={info()?.version}>{version => <span class="tag">{version()}</span>}</Show>
      </a>
      <ConnectionBadge />
      <div class="settings">
        <RevisionSwitch />
        <ThemeSwitch />
      </div>
    </header>
  );
}
