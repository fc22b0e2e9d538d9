import { createShelfFastmcp } from './fastmcp.js';

await createShelfFastmcp().start({ transportType: 'stdio' });
