import { onCleanup, onMount } from 'solid-js';

/** Ctrl+Enter sends the form that has the focus, or else the request that is shown; `/` goes to the search. */
export function useShortcuts(): void {
  onMount(() => document.addEventListener('keydown', onKey));
  onCleanup(() => document.removeEventListener('keydown', onKey));
}

function onKey(event: KeyboardEvent): void {
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    (target.closest('form') ?? document.querySelector<HTMLFormElement>('form.request'))?.requestSubmit();
  }
  if (event.key === '/' && !target.matches('input, textarea, select')) {
    event.preventDefault();
    document.querySelector<HTMLInputElement>('input[type="search"]')?.focus();
  }
}
