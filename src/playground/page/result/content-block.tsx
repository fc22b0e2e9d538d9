import { Match, Show, Switch } from 'solid-js';
import { linkToSubject } from '../address.js';
import { JsonView } from '../parts/json-view.jsx';
import { ResourceContent } from './resource-content.jsx';
import { TextContent } from './text-content.jsx';

/** A block of content as a server sent it. Nothing in it can be trusted to have the right type. */
export type Content = Readonly<Record<string, unknown>>;

/** Shows a block of content by its type. */
export function ContentBlock(props: { content: Content }) {
  const is = (type: string) => props.content.type === type && props.content;
  return (
    <Switch fallback={<JsonView value={props.content} />}>
      <Match when={is('text')}>{content => <TextContent text={String(content().text ?? '')} />}</Match>
      <Match when={is('image')}>
        {content => <Picture data={String(content().data)} mimeType={String(content().mimeType)} />}
      </Match>
      <Match when={is('audio')}>
        {content => <Sound data={String(content().data)} mimeType={String(content().mimeType)} />}
      </Match>
      <Match when={is('resource')}>
        {content => <ResourceContent contents={(content().resource ?? {}) as Content} />}
      </Match>
      <Match when={is('resource_link')}>{link => <LinkToResource link={link()} />}</Match>
    </Switch>
  );
}

/** A picture, also SVG: as the source of an image it cannot run scripts. */
export function Picture(props: { data: string; mimeType: string }) {
  return (
    <figure class="picture">
      <Show
        when={/^image\/[\w.+-]+$/.test(props.mimeType)}
        fallback={<p class="muted">{props.mimeType} is no picture.</p>}
      >
        <img src={`data:${props.mimeType};base64,${props.data}`} alt={`From the server, ${props.mimeType}`} />
      </Show>
      <figcaption>
        {props.mimeType} · {sizeOf(props.data)}
      </figcaption>
    </figure>
  );
}

export function Sound(props: { data: string; mimeType: string }) {
  return (
    <figure class="sound">
      <Show
        when={/^audio\/[\w.+-]+$/.test(props.mimeType)}
        fallback={<p class="muted">{props.mimeType} is no sound.</p>}
      >
        {/* biome-ignore lint/a11y/useMediaCaption: a server sends no captions */}
        <audio
          controls
          src={`data:${props.mimeType};base64,${props.data}`}
          aria-label="Sound from the server"
        />
      </Show>
      <figcaption>
        {props.mimeType} · {sizeOf(props.data)}
      </figcaption>
    </figure>
  );
}

function LinkToResource(props: { link: Content }) {
  const uri = () => String(props.link.uri ?? '');
  return (
    <a class="resource-link" href={linkToSubject({ kind: 'resource', name: uri() })}>
      <span>
        <strong>{String(props.link.title ?? props.link.name ?? uri())}</strong>
        <span class="muted mono">{uri()}</span>
      </span>
      <span aria-hidden="true">→</span>
    </a>
  );
}

function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024).toLocaleString('en')} KB`;
}
