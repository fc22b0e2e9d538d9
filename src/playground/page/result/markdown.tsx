import { createMemo, For, Match, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { type Block, parseBlocks } from './markdown-blocks.js';
import { type Inline, parseInline } from './markdown-inline.js';

type Of<T, K extends string> = Extract<T, { type: K }>;

/** Markdown of a server. Its pieces become elements one by one, so HTML in it is never run. */
export function Markdown(props: { text: string }) {
  const blocks = createMemo(() => parseBlocks(props.text));
  return (
    <div class="markdown">
      <For each={blocks()}>{block => <BlockView block={block} />}</For>
    </div>
  );
}

function BlockView(props: { block: Block }) {
  const as = <K extends Block['type']>(type: K) => props.block.type === type && (props.block as Of<Block, K>);
  return (
    <Switch fallback={<hr />}>
      <Match when={as('heading')}>
        {/* The page has headings of its own, so those of a text begin further down. */}
        {heading => (
          <Dynamic component={`h${Math.min(6, heading().level + 3)}`}>
            <Line text={heading().text} />
          </Dynamic>
        )}
      </Match>
      <Match when={as('paragraph')}>
        {paragraph => (
          <p>
            <Line text={paragraph().text} />
          </p>
        )}
      </Match>
      <Match when={as('quote')}>
        {quote => (
          <blockquote>
            <Line text={quote().text} />
          </blockquote>
        )}
      </Match>
      <Match when={as('code')}>
        {code => (
          // It scrolls sideways, so it has to be reachable by keyboard.
          <pre tabindex="0">
            <code>{code().text}</code>
          </pre>
        )}
      </Match>
      <Match when={as('list')}>
        {list => (
          <Dynamic component={list().isOrdered ? 'ol' : 'ul'}>
            <For each={list().items}>
              {item => (
                <li>
                  <Line text={item} />
                </li>
              )}
            </For>
          </Dynamic>
        )}
      </Match>
      <Match when={as('table')}>{table => <Table table={table()} />}</Match>
    </Switch>
  );
}

function Table(props: { table: Of<Block, 'table'> }) {
  return (
    <table class="data">
      <thead>
        <tr>
          <For each={props.table.head}>
            {cell => (
              <th scope="col">
                <Line text={cell} />
              </th>
            )}
          </For>
        </tr>
      </thead>
      <tbody>
        <For each={props.table.rows}>
          {row => (
            <tr>
              <For each={row}>
                {cell => (
                  <td>
                    <Line text={cell} />
                  </td>
                )}
              </For>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

function Line(props: { text: string }) {
  return <Pieces pieces={parseInline(props.text)} />;
}

function Pieces(props: { pieces: readonly Inline[] }) {
  return (
    <For each={props.pieces}>
      {piece => {
        switch (piece.type) {
          case 'text':
            return piece.text;
          case 'code':
            return <code>{piece.text}</code>;
          case 'strong':
            return (
              <strong>
                <Pieces pieces={piece.inner} />
              </strong>
            );
          case 'emphasis':
            return (
              <em>
                <Pieces pieces={piece.inner} />
              </em>
            );
          case 'link':
            return (
              <a href={piece.href} target="_blank" rel="noopener noreferrer">
                <Pieces pieces={piece.inner} />
              </a>
            );
        }
      }}
    </For>
  );
}
