import { place } from '../address.js';
import { connections } from '../state/connections.js';
import { signInAddress } from '../state/sign-in.js';

/** Whether the page is connected, and in which revision. */
export function ConnectionBadge() {
  const connection = () => connections[place().revision];
  const text = () => {
    const { state, detail, revision } = connection() ?? { state: 'connecting', detail: 'Connecting' };
    if (state === 'connecting' && signInAddress() !== undefined) return 'Waiting for your sign-in';
    return state === 'connected' ? `Connected, ${revision}` : detail;
  };
  return (
    <p class="connection" role="status" data-state={connection()?.state ?? 'connecting'}>
      <span class="dot" aria-hidden="true" />
      {text()}
    </p>
  );
}
