import { createSignal, Match, Show, Switch } from 'solid-js';
import { Markdown } from './markdown.jsx';
import { StructuredData } from './structured-data.jsx';

/** Signs of Markdown that plain text rarely has. */
const MARKDOWN = /^#{1,6}\s|^```|^\s*[-*]\s+\S|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\)|^\|.*\|$/m;

/** A text: as it is, as Markdown, or as a tree if it is JSON. The user can see it as it is in any case. */
export function TextContent(props: { text: string; mimeType?: string | undefined }) {
  const [isPlain, setPlain] = createSignal(false);
  const data = () => readJson(props.text);
  const isMarkdown = () => /markdown/.test(props.mimeType ?? '') || MARKDOWN.test(props.text);
  const isRich = () => data() !== undefined || isMarkdown();
  return (
    <div class="text-content">
      <Switch fallback={<p class="plain">{props.text}</p>}>
        <Match when={isPlain()}>
          <p class="plain mono">{props.text}</p>
        </Match>
        <Match when={data()}>{value => <StructuredData value={value()} />}</Match>
        <Match when={isMarkdown()}>
          <Markdown text={props.text} />
        </Match>
      </Switch>
      <Show when={isRich()}>
        <button
          type="button"
          class="quiet small corner"
          aria-pressed={isPlain()}
          onClick={() => setPlain(!isPlain())}
        >
          Plain text
        </button>
      </Show>
    </div>
  );
}

function readJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
