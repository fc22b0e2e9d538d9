import { place } from '../address.js';
import { type ConnectionState, connections } from '../state/connections.js';
import { pageProblem } from '../state/page-state.js';
import { signInAddress } from '../state/sign-in.js';

const CONNECTING: ConnectionState = { state: 'connecting', detail: 'Connecting' };
const NOT_CONNECTED: ConnectionState = { state: 'failed', detail: 'Not connected' };

/** Whether the page is connected, and in which revision. */
export function ConnectionBadge() {
  const connection = () => (pageProblem() ? NOT_CONNECTED : connections[place().revision]);
  const text = () => {
    const { state, detail, revision } = connection() ?? CONNECTING;
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
