import { createSignal, For, Match, Show, Switch } from 'solid-js';
import { place } from '../address.js';
import { activity } from '../state/activity.js';
import { runsOf } from '../state/runs.js';
import { Timeline } from '../timeline/timeline.jsx';
import { ActivityList } from './activity-list.jsx';
import { HistoryList } from './history-list.jsx';

const TABS = ['Timeline', 'Activity', 'History'] as const;
type Tab = (typeof TABS)[number];

/** What happens between client and server, and what happened before. */
export function Panel() {
  const [tab, setTab] = createSignal<Tab>('Timeline');
  const warnings = () => activity.filter(item => item.type === 'warning').length;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = TABS[(TABS.indexOf(tab()) + step + TABS.length) % TABS.length] ?? 'Timeline';
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <aside class="panel" aria-label="Messages and history">
      <div class="tabs" role="tablist" aria-label="Messages and history" onKeyDown={move}>
        <For each={TABS}>
          {name => (
            <button
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab() === name}
              aria-controls="tab-panel"
              tabindex={tab() === name ? 0 : -1}
              onClick={() => setTab(name)}
            >
              {name}
              <Show when={name === 'Activity' && warnings() > 0}>
                <span class="tab-count">
                  {warnings()}
                  <span class="visually-hidden"> warnings</span>
                </span>
              </Show>
            </button>
          )}
        </For>
      </div>
      <div class="tab-panel" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab()}`}>
        <Switch>
          <Match when={tab() === 'Timeline'}>
            <Timelines />
          </Match>
          <Match when={tab() === 'Activity'}>
            <ActivityList />
          </Match>
          <Match when={tab() === 'History'}>
            <HistoryList />
          </Match>
        </Switch>
      </div>
    </aside>
  );
}

function Timelines() {
  const runs = () => {
    const { subject } = place();
    return subject ? runsOf(subject) : [];
  };
  return (
    <div class="timelines">
      <For
        each={runs()}
        fallback={
          <p class="empty">Run something, and every message between client and server appears here.</p>
        }
      >
        {run => <Timeline run={run} />}
      </For>
    </div>
  );
}
