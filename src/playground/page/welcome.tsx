import { For, Show } from 'solid-js';
import { place } from './address.js';
import { Markdown } from './result/markdown.jsx';
import { ProblemView } from './result/problem-view.jsx';
import { catalogOf } from './state/catalog.js';
import { connections, openConnection } from './state/connections.js';
import { pageState } from './state/page-state.js';

/** What is shown while nothing is chosen: the server in its own words, or why it cannot be reached. */
export function Welcome() {
  const connection = () => connections[place().revision];
  const server = () => connection()?.server;
  const hasEntries = () => {
    const { tools, resources, templates, prompts, isLoading } = catalogOf(place().revision);
    return isLoading || [tools, resources, templates, prompts].some(list => list.length > 0);
  };
  return (
    <article class="subject welcome">
      <h1>{server()?.info?.title ?? server()?.info?.name ?? pageState()?.target ?? 'Tenon'}</h1>
      <Show when={server()?.info?.description}>{text => <p class="description">{text()}</p>}</Show>
      <ConnectionProblem />
      <Show when={connection()?.state === 'connected'}>
        <ul class="facts" aria-label="What the server declares">
          <For each={Object.keys(server()?.capabilities ?? {})}>{name => <li class="tag">{name}</li>}</For>
        </ul>
        <Show when={server()?.instructions}>
          {text => (
            <section class="card">
              <h2>Instructions for models</h2>
              <Markdown text={text()} />
            </section>
          )}
        </Show>
        <Show
          when={hasEntries()}
          fallback={
            <p class="muted">
              This server has no tools, resources or prompts for this page. If it gets some, they appear by
              themselves.
            </p>
          }
        >
          <p class="muted">
            Choose a tool, a resource or a prompt from the list; <kbd>/</kbd> begins a search. Choose a second
            revision above to see both conversations beside each other.
          </p>
        </Show>
      </Show>
    </article>
  );
}

/** Why the server cannot be used yet, and what to do. */
export function ConnectionProblem() {
  const connection = () => connections[place().revision];
  return (
    <Show when={connection()?.problem}>
      {problem => (
        <div class="connection-problem">
          <ProblemView problem={problem()} title="The server cannot be reached in this revision" />
          <button type="button" onClick={() => void openConnection(place().revision)}>
            Try again
          </button>
        </div>
      )}
    </Show>
  );
}
