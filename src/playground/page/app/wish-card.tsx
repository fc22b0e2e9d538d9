import { createSignal, createUniqueId, For, Match, onCleanup, onMount, Show, Switch } from 'solid-js';
import type { AppPage, AppRequest } from 'tenon/apps/host';
import { Address } from '../parts/address.jsx';
import { JsonView } from '../parts/json-view.jsx';
import { safeLink } from '../parts/safe-link.js';
import { ContentBlock } from '../result/content-block.jsx';
import type { Content } from '../result/media.jsx';
import type { Wish } from './wishes.js';

type Of<K extends AppRequest['kind']> = Extract<AppRequest, { kind: K }>;

/** What is allowed from now on, if the user wants that. */
const LASTING: Partial<Record<AppRequest['kind'], string>> = {
  call: 'Always allow this tool',
  read: 'Always allow this resource',
};

/** Asks the user about something that an app wants. */
export function WishCard(props: { wish: Wish }) {
  const id = createUniqueId();
  const link = () => linkOf(props.wish.request);
  const lasting = () => LASTING[props.wish.request.kind];
  // An app could ask at the moment of a click, so that the user hits a button that was not there before.
  const [isReady, setReady] = createSignal(false);
  const timer = setTimeout(() => setReady(true), READY_MS);
  let card: HTMLElement | undefined;
  onMount(() => card?.scrollIntoView({ block: 'nearest' }));
  onCleanup(() => clearTimeout(timer));
  return (
    <section class="question wish" aria-labelledby={id} ref={card}>
      <h3 id={id}>{titleOf(props.wish.request)}</h3>
      <Wanting request={props.wish.request} />
      <div class="actions">
        <Show
          when={isReady() && link()}
          fallback={
            <button
              type="button"
              class="primary"
              disabled={!isReady()}
              onClick={() => props.wish.decide(true)}
            >
              {verbOf(props.wish.request)}
            </button>
          }
        >
          {url => (
            <a
              class="button primary"
              href={url().href}
              target="_blank"
              rel="noopener noreferrer"
              onClick={() => props.wish.decide(true)}
            >
              Open the page
            </a>
          )}
        </Show>
        <Show when={lasting()}>
          {label => (
            <button type="button" disabled={!isReady()} onClick={() => props.wish.decide(true, true)}>
              {label()}
            </button>
          )}
        </Show>
        <button type="button" class="quiet" onClick={() => props.wish.decide(false)}>
          Refuse
        </button>
      </div>
    </section>
  );
}

/** How long the buttons of a new question rest. */
const READY_MS = 500;

/** The thing that an app wants, in full. */
function Wanting(props: { request: AppRequest }) {
  const as = <K extends AppRequest['kind']>(kind: K) =>
    props.request.kind === kind && (props.request as Of<K>);
  return (
    <Switch>
      <Match when={as('start')}>{request => <Wanted page={request().page} />}</Match>
      <Match when={as('call')}>{request => <JsonView value={request().arguments} open={2} />}</Match>
      <Match when={as('read')}>{request => <p class="address mono">{request().uri}</p>}</Match>
      <Match when={linkOf(props.request)}>{url => <Address url={url()} />}</Match>
      <Match when={as('message')}>{request => <Blocks blocks={request().content} />}</Match>
      <Match when={as('context')}>
        {request => (
          <>
            <Blocks blocks={request().context.content ?? []} />
            <Show when={request().context.structuredContent}>
              {content => <JsonView value={content()} open={2} />}
            </Show>
          </>
        )}
      </Match>
    </Switch>
  );
}

/** The page that an app wants to open, if its address is safe. */
function linkOf(request: AppRequest): URL | undefined {
  return request.kind === 'link' ? safeLink(request.url) : undefined;
}

/** The hosts and the parts of the browser that an app asks for. */
function Wanted(props: { page: AppPage }) {
  const rows = (): [label: string, names: readonly string[] | undefined][] => [
    ['It connects to', props.page.csp.connectDomains],
    ['It loads from', props.page.csp.resourceDomains],
    ['It frames', props.page.csp.frameDomains],
    ['Its links begin at', props.page.csp.baseUriDomains],
    ['It uses your', Object.keys(props.page.permissions).map(nameOf)],
  ];
  return (
    <dl class="wanted">
      <For each={rows().filter(([, list]) => list && list.length > 0)}>
        {([label, list]) => (
          <div>
            <dt>{label}</dt>
            <dd>
              <For each={list}>{one => <span class="tag mono">{one}</span>}</For>
            </dd>
          </div>
        )}
      </For>
    </dl>
  );
}

function Blocks(props: { blocks: readonly object[] }) {
  return (
    <div class="blocks">
      <For each={props.blocks}>{block => <ContentBlock content={block as Content} />}</For>
    </div>
  );
}

function titleOf(request: AppRequest): string {
  switch (request.kind) {
    case 'start':
      return 'This app wants more than its own page';
    case 'call':
      return `The app wants to call ${request.tool.title ?? request.tool.name}`;
    case 'read':
      return 'The app wants to read a resource';
    case 'link':
      return 'The app wants to open a page';
    case 'message':
      return 'The app wants to say this in your name';
    case 'context':
      return 'The app wants to tell the model this';
  }
}

function verbOf({ kind }: AppRequest): string {
  if (kind === 'start') return 'Show the app';
  return kind === 'link' ? 'Open the page' : 'Allow';
}

/** `clipboardWrite` as people say it. */
function nameOf(permission: string): string {
  return permission.replace(/[A-Z].*/, '');
}
