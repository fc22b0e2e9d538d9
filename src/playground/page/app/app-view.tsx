import { For, onMount, Show } from 'solid-js';
import type { Tool } from 'tenon/protocol';
import type { Run } from '../state/runs.js';
import { createApp } from './create-app.js';
import { WishCard } from './wish-card.jsx';

/** The app of a tool: its frame, what it wants, and what it said. */
export function AppView(props: { run: Run; tool: Tool }) {
  let frame: HTMLIFrameElement | undefined;
  const { app, problem, told, wishes, show, close } = createApp(props.run, props.tool);
  onMount(() => void show(frame as HTMLIFrameElement));
  return (
    <section class="app" aria-label={`App of ${props.tool.title ?? props.tool.name}`}>
      <header class="app-head">
        <h3>App</h3>
        <span class="muted small-text">It comes from the server, and runs apart from this page.</span>
        <Show when={app()}>
          <button type="button" class="quiet small" onClick={close}>
            Close the app
          </button>
        </Show>
      </header>
      <div class="wishes" aria-live="polite">
        <For each={wishes()}>{wish => <WishCard wish={wish} />}</For>
      </div>
      <iframe
        class="app-frame"
        hidden={!app()}
        title={`App of ${props.tool.title ?? props.tool.name}`}
        ref={frame}
      />
      <Show when={!app() && !problem() && wishes().length === 0}>
        <div class="skeletons" role="status" aria-label="Loading the app">
          <span />
          <span />
        </div>
      </Show>
      <Show when={problem()}>
        {reason => (
          <p class="app-problem" role="status">
            <span>{reason()}</span>
            <button type="button" class="small" onClick={() => void show(frame as HTMLIFrameElement)}>
              Show it again
            </button>
          </p>
        )}
      </Show>
      <Show when={told().length > 0}>
        <details class="log">
          <summary>
            From the app <span class="count">{told().length}</span>
          </summary>
          <ol>
            <For each={told()}>{text => <li>{text}</li>}</For>
          </ol>
        </details>
      </Show>
    </section>
  );
}
