import { For, Match, Show, Switch } from 'solid-js';
import { JsonView } from '../parts/json-view.jsx';
import type { Run } from '../state/runs.js';
import { ContentBlock } from './content-block.jsx';
import type { Content } from './media.jsx';
import { ProblemView } from './problem-view.jsx';
import { PromptMessages } from './prompt-messages.jsx';
import { ResourceContent } from './resource-content.jsx';
import { StructuredData } from './structured-data.jsx';

/** The outcome of a run. */
export function RunResult(props: { run: Run; isRaw: boolean }) {
  return (
    <Switch>
      <Match when={props.run.problem}>{problem => <ProblemView problem={problem()} />}</Match>
      <Match when={props.run.result}>
        {result => (
          <Show when={!props.isRaw} fallback={<JsonView value={result()} open={5} />}>
            <Outcome result={result()} />
          </Show>
        )}
      </Match>
    </Switch>
  );
}

function Outcome(props: { result: Record<string, unknown> }) {
  const content = () => listOf(props.result.content);
  const contents = () => listOf(props.result.contents);
  const messages = () => listOf(props.result.messages);
  const structured = () => props.result.structuredContent;
  /** Servers repeat structured content as a text for older clients; once is enough. */
  const shown = () => content().filter(block => !isCopy(block, structured()));
  return (
    <div class="blocks">
      <Show when={props.result.isError === true}>
        <p class="problem-title">The tool reports an error</p>
      </Show>
      <Show when={structured() !== undefined}>
        <StructuredData value={structured()} />
      </Show>
      <For each={shown()}>{block => <ContentBlock content={block} />}</For>
      <For each={contents()}>{one => <ResourceContent contents={one} />}</For>
      <Show when={messages().length > 0}>
        <PromptMessages messages={messages()} />
      </Show>
      <Show when={shown().length + contents().length + messages().length === 0 && structured() === undefined}>
        <p class="muted">The result is empty.</p>
      </Show>
    </div>
  );
}

function listOf(value: unknown): Content[] {
  return Array.isArray(value) ? value.filter(one => typeof one === 'object' && one !== null) : [];
}

function isCopy({ type, text }: Content, structured: unknown): boolean {
  if (type !== 'text' || structured === undefined || typeof text !== 'string') return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}
