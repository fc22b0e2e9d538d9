import type { Server } from '../../src/server/index.js';

/** Counts those who watch a server for changes. */
export function countWatchers(server: Server): () => number {
  let watchers = 0;
  const watch = server.watch.bind(server);
  server.watch = listener => {
    watchers++;
    const stop = watch(listener);
    return () => {
      watchers--;
      stop();
    };
  };
  return () => watchers;
}
