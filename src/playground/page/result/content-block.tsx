import { Match, Switch } from 'solid-js';
import { linkToSubject } from '../address.js';
import { JsonView } from '../parts/json-view.jsx';
import { type Content, Picture, Sound } from './media.jsx';
import { ResourceContent } from './resource-content.jsx';
import { TextContent } from './text-content.jsx';

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
