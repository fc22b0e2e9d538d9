import { createShelfFastmcp } from './fastmcp.js';

await createShelfFastmcp().start({ transportType: 'httpStream', httpStream: { port: 8080 } });
