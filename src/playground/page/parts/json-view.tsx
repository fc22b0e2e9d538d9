import { createSignal, For, Match, Show, Switch } from 'solid-js';

interface Props {
  value: unknown;
  /** The name of the member that is shown. */
  name?: string | undefined;
  /** Levels that are open at first. */
  open?: number | undefined;
  /** Members to point out. */
  important?: ReadonlySet<string> | undefined;
}

const MAX_TEXT = 240;
const MAX_MEMBERS = 100;

/** JSON as a tree that can be opened and closed. */
export function JsonView(props: Props) {
  return (
    <Switch fallback={<Leaf {...props} />}>
      <Match when={isBranch(props.value)}>
        <Branch {...props} />
      </Match>
    </Switch>
  );
}

function Branch(props: Props) {
  const entries = () => Object.entries(props.value as object);
  const isList = () => Array.isArray(props.value);
  const [isOpen, setOpen] = createSignal((props.open ?? 2) > 0);
  const [limit, setLimit] = createSignal(MAX_MEMBERS);
  return (
    <details class="json-branch" open={isOpen()} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={props.name} important={props.important} />
        <span class="json-size">{isList() ? `[${entries().length}]` : `{${entries().length}}`}</span>
      </summary>
      <Show when={isOpen()}>
        <ul>
          <For each={entries().slice(0, limit())}>
            {([name, value]) => (
              <li>
                <JsonView
                  value={value}
                  name={name}
                  open={(props.open ?? 2) - 1}
                  important={props.important}
                />
              </li>
            )}
          </For>
          <Show when={entries().length > limit()}>
            <li>
              <button type="button" class="quiet small" onClick={() => setLimit(limit() + MAX_MEMBERS)}>
                {entries().length - limit()} more
              </button>
            </li>
          </Show>
        </ul>
      </Show>
    </details>
  );
}

function Leaf(props: Props) {
  const [isWhole, setWhole] = createSignal(false);
  const text = () => JSON.stringify(props.value) ?? 'undefined';
  return (
    <span class="json-leaf">
      <Name name={props.name} important={props.important} />
      <span class={`json-${props.value === null ? 'null' : typeof props.value}`}>
        {isWhole() ? text() : text().slice(0, MAX_TEXT)}
      </span>
      <Show when={!isWhole() && text().length > MAX_TEXT}>
        <button type="button" class="quiet small" onClick={() => setWhole(true)}>
          … all {text().length.toLocaleString('en')} characters
        </button>
      </Show>
    </span>
  );
}

function Name(props: Pick<Props, 'name' | 'important'>) {
  return (
    <Show when={props.name !== undefined}>
      <span class="json-name" classList={{ important: props.important?.has(props.name ?? '') ?? false }}>
        {props.name}
      </span>
      <span class="json-colon">: </span>
    </Show>
  );
}

function isBranch(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
