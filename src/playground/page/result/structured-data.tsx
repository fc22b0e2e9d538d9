import { For, Show } from 'solid-js';
import { JsonView } from '../parts/json-view.jsx';

type Row = Readonly<Record<string, unknown>>;

interface Table {
  readonly title: string | undefined;
  readonly rows: readonly Row[];
}

const MAX_ROWS = 200;
const MAX_COLUMNS = 12;

/** Structured content: lists of objects as tables, everything else as a tree. */
export function StructuredData(props: { value: unknown }) {
  return (
    <Show when={tablesIn(props.value)} fallback={<JsonView value={props.value} open={4} />}>
      {tables => <For each={tables()}>{table => <DataTable {...table} />}</For>}
    </Show>
  );
}

function DataTable(props: Table) {
  const columns = () => [...new Set(props.rows.flatMap(row => Object.keys(row)))].slice(0, MAX_COLUMNS);
  return (
    // It scrolls sideways, so it has to be reachable by keyboard.
    <div class="scroll" tabindex="0">
      <table class="data">
        <Show when={props.title}>{title => <caption>{title()}</caption>}</Show>
        <thead>
          <tr>
            <For each={columns()}>{name => <th scope="col">{name}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={props.rows.slice(0, MAX_ROWS)}>
            {row => (
              <tr>
                <For each={columns()}>
                  {name => <td data-type={typeof row[name]}>{cellOf(row[name])}</td>}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={props.rows.length > MAX_ROWS}>
        <p class="muted">{props.rows.length - MAX_ROWS} more rows are in the raw JSON.</p>
      </Show>
    </div>
  );
}

/** The tables of a value: the value itself, or members of which each is a table. */
function tablesIn(value: unknown): Table[] | undefined {
  if (isTable(value)) return [{ title: undefined, rows: value }];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members = Object.entries(value);
  if (members.length === 0 || !members.every(([, member]) => isTable(member))) return undefined;
  return members.map(([title, rows]) => ({ title, rows: rows as Row[] }));
}

function isTable(value: unknown): value is Row[] {
  const isRow = (row: unknown) => typeof row === 'object' && row !== null && !Array.isArray(row);
  return Array.isArray(value) && value.length > 0 && value.every(isRow);
}

function cellOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
