import { createEffect, createMemo, createSignal, on, Show } from 'solid-js';
import { place } from '../address.js';
import { ProblemView } from '../result/problem-view.jsx';
import { type Catalog, catalogOf } from '../state/catalog.js';
import { connections } from '../state/connections.js';
import { pageProblem } from '../state/page-state.js';
import { type Entry, EntryList } from './entry-list.jsx';

/** The lists of the server, and a search over all of them. */
export function Sidebar() {
  const [search, setSearch] = createSignal('');
  // On a phone, the lists make room for the thing that was chosen.
  const [isOpen, setOpen] = createSignal(place().subject === undefined);
  createEffect(
    on(
      () => place().subject,
      subject => setOpen(subject === undefined),
    ),
  );
  const catalog = () => catalogOf(place().revision);
  const isConnected = () => connections[place().revision]?.state === 'connected';
  const hasFailed = () => pageProblem() !== undefined || connections[place().revision]?.state === 'failed';
  const isLoading = () => !hasFailed() && (catalog().isLoading || !isConnected());
  const groups = createMemo(() => groupsOf(catalog()));
  const found = createMemo(() =>
    groups().map(group => ({ ...group, entries: group.entries.filter(matching(search())) })),
  );
  const count = () => found().reduce((sum, { entries }) => sum + entries.length, 0);

  const emptyText = () => {
    if (hasFailed()) return 'The lists appear here when the server can be reached.';
    return search() === '' ? 'This server offers nothing yet.' : `Nothing is called “${search()}”.`;
  };

  return (
    <nav class="sidebar" classList={{ closed: !isOpen() }} aria-label="What the server offers">
      <div class="search">
        <input
          type="search"
          aria-label="Search tools, resources and prompts"
          placeholder="Search"
          value={search()}
          onInput={event => {
            setSearch(event.currentTarget.value);
            setOpen(true);
          }}
        />
        <span class="key" aria-hidden="true">
          /
        </span>
        <button
          type="button"
          class="fold"
          aria-expanded={isOpen()}
          aria-controls="lists"
          onClick={() => setOpen(!isOpen())}
        >
          {isOpen() ? 'Close' : 'All'}
        </button>
      </div>
      <div id="lists" class="lists">
        <Show when={catalog().problem}>
          {problem => <ProblemView problem={problem()} title="A list could not be loaded" />}
        </Show>
        <Show when={count() > 0 || !isLoading()} fallback={<Skeleton />}>
          <EntryList title="Tools" entries={found()[0]?.entries ?? []} />
          <EntryList title="Resources" entries={found()[1]?.entries ?? []} />
          <EntryList title="Prompts" entries={found()[2]?.entries ?? []} />
          <EntryList title="Skills" entries={found()[3]?.entries ?? []} />
          <Show when={count() === 0}>
            <p class="muted pad">{emptyText()}</p>
          </Show>
        </Show>
      </div>
    </nav>
  );
}

function Skeleton() {
  return (
    <div class="skeletons" role="status" aria-label="Loading the lists">
      <span />
      <span />
      <span />
      <span />
      <span />
      <span />
    </div>
  );
}

function groupsOf({ tools, resources, templates, prompts, skills }: Catalog) {
  return [
    {
      title: 'Tools',
      entries: tools.map((item): Entry => ({ subject: { kind: 'tool', name: item.name }, item })),
    },
    {
      title: 'Resources',
      entries: [
        ...resources.map((item): Entry => ({ subject: { kind: 'resource', name: item.uri }, item })),
        ...templates.map((item): Entry => ({ subject: { kind: 'template', name: item.uriTemplate }, item })),
      ],
    },
    {
      title: 'Prompts',
      entries: prompts.map((item): Entry => ({ subject: { kind: 'prompt', name: item.name }, item })),
    },
    {
      title: 'Skills',
      entries: skills.map(
        ({ uri, frontmatter }): Entry => ({ subject: { kind: 'skill', name: uri }, item: frontmatter }),
      ),
    },
  ];
}

function matching(search: string): (entry: Entry) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ subject, item }) => {
    const text = `${subject.name} ${item.title ?? ''} ${item.description ?? ''}`.toLowerCase();
    return words.every(word => text.includes(word));
  };
}
