import { createSignal } from 'solid-js';

const SHOWN_MS = 1500;

/** Copies a text, and says so. */
export function CopyButton(props: { text: () => string; label: string }) {
  const [outcome, setOutcome] = createSignal<string>();
  const copy = async () => {
    setOutcome(await write(props.text()));
    setTimeout(() => setOutcome(undefined), SHOWN_MS);
  };
  return (
    <button type="button" class="quiet small" aria-live="polite" onClick={() => void copy()}>
      {outcome() ?? props.label}
    </button>
  );
}

/** Browsers and their users can forbid it. */
async function write(text: string): Promise<string> {
  return navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'The browser refused',
  );
}
