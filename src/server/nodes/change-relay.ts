import type { JsonObject } from '../../base/json.js';
import type { Session } from '../../protocol/call.js';
import type { Audience, Change, MissedChanges } from '../../protocol/changes.js';
import type { Service } from '../../protocol/service.js';
import { CLUSTER_RETRY_MS, MAX_UNSENT_CHANGES } from '../limits.js';
import type { ClusterNode } from './node.js';

const KIND = 'changes';

/** The end of an id identifies a session, and is of no use to others who read it. */
const SESSION_NAME_LENGTH = 24;

/** Tells the other nodes of the changes on this one, and the streams on this one of theirs. */
export function relayChanges(
  service: Pick<Service, 'watch' | 'hear' | 'flushChanges'>,
  node: ClusterNode,
): () => void {
  const unsent = new UnsentChanges(node);
  const ends = [
    service.watch((change, isHeard) => {
      if (!isHeard) unsent.add(change);
    }),
    node.on(KIND, ({ changes }) => {
      for (const change of changes as unknown as (Change | MissedChanges)[]) service.hear(change);
      return undefined;
    }),
    node.onGap(() => {
      service.hear({ kind: 'missed' });
      // At once, because streams that open from now on miss nothing.
      service.flushChanges();
    }),
  ];
  return () => {
    unsent.close();
    for (const end of ends) end();
  };
}

/** The changes that the store has not taken yet, each once. While the store is away, they wait. */
class UnsentChanges {
  readonly #node: ClusterNode;
  readonly #changes = new Map<string, JsonObject>();
  #isSending = false;
  #isClosed = false;
  #lastNotice = 0;

  constructor(node: ClusterNode) {
    this.#node = node;
  }

  add(change: Change | MissedChanges): void {
    const content = toContent(change);
    if (!content) return;
    // Two notices of an extension may be equal, and are still two.
    const key = change.kind === 'notice' ? `notice ${++this.#lastNotice}` : JSON.stringify(content);
    this.#changes.set(key, content);
    if (!this.#isSending) void this.#send();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#changes.size > 0 && !this.#isClosed) {
      // A watcher is called once for each change of a burst: all of them go into one message.
      await undefined;
      if (this.#changes.size > MAX_UNSENT_CHANGES) this.#replace([['missed', { kind: 'missed' }]]);
      const sent = [...this.#changes];
      this.#changes.clear();
      try {
        await this.#node.tell(KIND, { changes: sent.map(([, content]) => content) });
      } catch {
        this.#replace([...sent, ...this.#changes]);
        await new Promise(resolve => setTimeout(resolve, CLUSTER_RETRY_MS));
      }
    }
    this.#isSending = false;
  }

  #replace(changes: readonly (readonly [string, JsonObject])[]): void {
    this.#changes.clear();
    for (const [key, content] of changes) this.#changes.set(key, content);
  }
}

/** A change as other nodes read it; undefined if it is for a connection of this node. */
function toContent(change: Change | MissedChanges): JsonObject | undefined {
  const audience = 'audience' in change ? change.audience : undefined;
  if (!audience) return { ...change };
  const shared = shareAudience(audience);
  return shared && { ...change, audience: shared };
}

function shareAudience(audience: Audience): JsonObject | undefined {
  if (!('session' in audience)) return { principal: audience.principal };
  const { id } = audience.session;
  const session: Pick<Session, 'id'> | undefined =
    id === undefined ? undefined : { id: id.slice(-SESSION_NAME_LENGTH) };
  return session && { session };
}
