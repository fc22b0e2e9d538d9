import { Show } from 'solid-js';

interface Props {
  icons: unknown;
  /** The letter that is shown where there is no icon. */
  letter: string;
}

/** The first icon that carries its picture with it. Others would have to be loaded from other hosts. */
export function IconImage(props: Props) {
  const source = () => {
    const icons = Array.isArray(props.icons) ? (props.icons as { src?: unknown }[]) : [];
    return icons.map(icon => icon?.src).find((src): src is string => /^data:image\//i.test(String(src)));
  };
  return (
    <span class="icon" aria-hidden="true">
      <Show when={source()} fallback={<span class="letter">{props.letter.slice(0, 1).toUpperCase()}</span>}>
        {src => <img src={src()} alt="" width="20" height="20" />}
      </Show>
    </span>
  );
}
