import { Show } from 'solid-js';
import { dismissReload, reload } from './state/reload.js';

/** Says that the file was reloaded, or why it could not be. */
export function ReloadNotice() {
  return (
    <Show when={reload()}>
      {latest => (
        <Show
          when={latest().problem}
          fallback={
            <p class="reloaded" role="status">
              <span aria-hidden="true">↻</span>
              <span>Reloaded at {new Date(latest().at).toLocaleTimeString()}</span>
              <button type="button" class="icon-button" aria-label="Dismiss" onClick={dismissReload}>
                ×
              </button>
            </p>
          }
        >
          {problem => (
            <div class="problem notice" role="alert">
              <p class="problem-title">The file could not be reloaded</p>
              {/* Long lines scroll sideways, so it has to be reachable by keyboard. */}
              <pre class="source mono" tabindex="0">
                {problem()}
              </pre>
              <p>The last version that could be loaded still runs. Mend the file and save it again.</p>
            </div>
          )}
        </Show>
      )}
    </Show>
  );
}
