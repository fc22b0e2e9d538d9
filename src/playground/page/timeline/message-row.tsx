import { createSignal, createUniqueId, For, Show } from 'solid-js';
import { CopyButton } from '../parts/copy-button.jsx';
import { inShort } from '../parts/duration.js';
import { JsonView } from '../parts/json-view.jsx';
import type { Row } from './describe.js';

/** The members that tell the revisions apart, and those that one looks for first. */
const IMPORTANT = new Set([
  'method',
  'name',
  'arguments',
  'resultType',
  'inputRequests',
  'inputResponses',
  'requestState',
  'structuredContent',
  'isError',
  'error',
  'protocolVersion',
  'io.modelcontextprotocol/protocolVersion',
  'requestedSchema',
  'action',
]);

/** One message: an arrow from the one who sent it, and its JSON on demand. */
export function MessageRow(props: { row: Row }) {
  const id = createUniqueId();
  const [isOpen, setOpen] = createSignal(false);
  const isSent = () => props.row.wire.direction === 'sent';
  return (
    <li class="message" data-direction={isSent() ? 'sent' : 'received'} data-kind={props.row.kind}>
      <button
        type="button"
        class="message-head"
        aria-expanded={isOpen()}
        aria-controls={isOpen() ? id : undefined}
        onClick={() => setOpen(!isOpen())}
      >
        <span class="offset">{inShort(props.row.offsetMs)}</span>
        <span class="message-text">
          <span class="visually-hidden">{isSent() ? 'Client to server: ' : 'Server to client: '}</span>
          <span class="message-title">{props.row.title}</span>
          <Show when={props.row.detail}>
            <span class="message-detail">{props.row.detail}</span>
          </Show>
          <span class="arrow" aria-hidden="true" />
        </span>
      </button>
      <Show when={isOpen()}>
        <div class="message-body" id={id}>
          <Show when={props.row.wire.headers}>{headers => <HeaderList headers={headers()} />}</Show>
          <Show when={props.row.wire.message} fallback={<p>{props.row.wire.problem}</p>}>
            {message => (
              <>
                <JsonView value={message()} open={3} important={IMPORTANT} />
                <CopyButton label="Copy JSON" text={() => JSON.stringify(message(), null, 2)} />
              </>
            )}
          </Show>
        </div>
      </Show>
    </li>
  );
}

function HeaderList(props: { headers: Readonly<Record<string, string>> }) {
  return (
    <dl class="headers">
      <For each={Object.entries(props.headers)}>
        {([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        )}
      </For>
    </dl>
  );
}
