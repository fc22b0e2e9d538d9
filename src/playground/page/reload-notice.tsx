import { Show } from 'solid-js';
import { reload } from './state/reload.js';

/** Says that the file was reloaded, or why it could not be. */
export function ReloadNotice() {
  return (
    <Show when={reload()}>
      {latest => (
        <Show
          when={latest().problem}
          fallback={
            <p class="notice" role="status">
              Reloaded at {new Date(latest().at).toLocaleTimeString()}.
            </p>
          }
        >
          {problem => (
            <div class="problem notice" role="alert">
              <p class="problem-title">The file could not be reloaded</p>
              <pre class="plain mono">{problem()}</pre>
              <p>The version before it still runs. Save the file again when it is mended.</p>
            </div>
          )}
        </Show>
      )}
    </Show>
  );
}
