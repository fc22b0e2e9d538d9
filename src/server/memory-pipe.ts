import type { Service } from '../protocol/service.js';
import type { Transport } from '../protocol/transport.js';
import { serveConnection } from './pipe.js';
import { createSeal } from './seal/seal.js';
import { createMemorySingleUse } from './single-use.js';

/** A pipe to a server in the same process. Messages are texts, as on any other. */
export function memoryPipe(service: Service): Transport {
  let connection: ReturnType<typeof serveConnection> | undefined;
  return {
    async start(receive) {
      const modern = { seal: createSeal(), singleUse: createMemorySingleUse() };
      connection = serveConnection(service, text => queueMicrotask(() => receive(text)), { modern });
    },
    send(text) {
      void connection?.receive(text);
    },
    async close() {
      await connection?.close(0);
    },
  };
}
