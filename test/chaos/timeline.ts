import type { Takeover } from './judge.js';

/** What happened to an order whose work went on after a kill, in seconds from its beginning. */
export function tellTakeover(
  { order, ms, account }: Takeover,
  killedAt: ReadonlyMap<number, number>,
): string {
  const attempts = [...account.attempts.values()];
  const start = Math.min(...attempts.map(({ beganAt }) => beganAt));
  const seconds = (at: number) => ((at - start) / 1000).toFixed(1);
  const events = [
    ...attempts.map(one => ({
      at: one.beganAt,
      text: `begun at ${one.node}${one.hasEnded ? '' : ', without an end'}`,
    })),
    ...account.entries.map(({ at, step }) => ({ at, text: step })),
    ...[...new Set(attempts.map(({ node }) => node))].flatMap(node => {
      const at = killedAt.get(node);
      return at === undefined ? [] : [{ at, text: `${node} killed` }];
    }),
  ].sort((one, other) => one.at - other.at);
  return `${order}, ${ms} ms: ${events.map(({ at, text }) => `${seconds(at)} ${text}`).join('; ')}`;
}
