import { SERVICE } from '../../src/protocol/service.js';
import type { Server } from '../../src/server/index.js';

/** Counts those who watch a server for changes. */
export function countWatchers(server: Server): () => number {
  let watchers = 0;
  const service = server[SERVICE].remote();
  const watch = service.watch.bind(service);
  service.watch = listener => {
    watchers++;
    const stop = watch(listener);
    return () => {
      watchers--;
      stop();
    };
  };
  return () => watchers;
}
