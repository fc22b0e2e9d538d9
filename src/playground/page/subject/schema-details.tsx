import { Show } from 'solid-js';
import type { Tool } from 'tenon/protocol';
import { JsonView } from '../parts/json-view.jsx';
import type { Item } from './task.js';

/** The definition of a thing as the server sent it, for those who write servers. */
export function SchemaDetails(props: { item: Item | undefined }) {
  const shown = () => {
    const { icons: _, ...rest } = (props.item ?? {}) as Tool;
    return rest;
  };
  return (
    <Show when={props.item}>
      <details class="definition">
        <summary>Definition</summary>
        <JsonView value={shown()} open={3} />
      </details>
    </Show>
  );
}
