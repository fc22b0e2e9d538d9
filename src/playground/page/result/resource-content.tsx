import { Match, Switch } from 'solid-js';
import { type Content, Picture, Sound } from './media.jsx';
import { TextContent } from './text-content.jsx';

/** The contents of a resource, with its URI. */
export function ResourceContent(props: { contents: Content }) {
  const type = () => String(props.contents.mimeType ?? '');
  const blob = () => (typeof props.contents.blob === 'string' ? props.contents.blob : undefined);
  return (
    <div class="resource-content">
      <p class="muted mono uri">
        {String(props.contents.uri ?? '')} {type() && `· ${type()}`}
      </p>
      <Switch>
        <Match when={typeof props.contents.text === 'string'}>
          <TextContent text={String(props.contents.text)} mimeType={type()} />
        </Match>
        <Match when={type().startsWith('image/') && blob()}>
          {data => <Picture data={data()} mimeType={type()} />}
        </Match>
        <Match when={type().startsWith('audio/') && blob()}>
          {data => <Sound data={data()} mimeType={type()} />}
        </Match>
        <Match when={blob()}>
          {data => (
            <a class="button" download="resource" href={`data:application/octet-stream;base64,${data()}`}>
              Save the file
            </a>
          )}
        </Match>
      </Switch>
    </div>
  );
}
