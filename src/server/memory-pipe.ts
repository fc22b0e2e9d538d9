import type { Service } from '../protocol/service.js';
import type { Transport } from '../protocol/transport.js';
import { ON_DEMAND } from './loading.js';
import type { Pipe } from './pipe.js';
import { sealOnDemand } from './seal-on-demand.js';
import { singleUseOnDemand } from './single-use-on-demand.js';

/** A pipe to a server in the same process. Messages are texts, as on any other pipe. */
export function memoryPipe(service: Service): Transport {
  let pipe: Pipe | undefined;
  return {
    async start(receive) {
      // Most servers are never connected to in their own process.
      const { Pipe } = await ON_DEMAND.get();
      const seal = sealOnDemand(({ createSeal }) => createSeal());
      const singleUse = singleUseOnDemand(({ createMemorySingleUse }) => createMemorySingleUse());
      const modern = { seal, singleUse };
      pipe = new Pipe(service, text => queueMicrotask(() => receive(text)), { modern });
    },
    send(text) {
      void pipe?.receive(text);
    },
    async close() {
      await pipe?.close(0);
    },
  };
}
