import { createSignal } from 'solid-js';

const SHOWN_MS = 1500;

/** Copies a text, and says so. */
export function CopyButton(props: { text: () => string; label: string }) {
  const [isCopied, setCopied] = createSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(props.text());
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button type="button" class="quiet small" onClick={() => void copy()}>
      {isCopied() ? 'Copied' : props.label}
    </button>
  );
}
