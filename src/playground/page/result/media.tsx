import { Show } from 'solid-js';

/** A block of content as a server sent it. Nothing in it can be trusted to have the right type. */
export type Content = Readonly<Record<string, unknown>>;

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

function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024).toLocaleString('en')} KB`;
}
