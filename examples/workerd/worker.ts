// On workerd, which Cloudflare Workers are: npx wrangler dev, in this folder.
import { env } from 'cloudflare:workers';
import { fetchHandler } from 'tenon/http';
import { server } from '../reserve/server.ts';

// Requests of one client reach different machines, which continue each other's sessions and rounds with the same keys.
export default { fetch: fetchHandler(server, { keys: [env.TENON_KEY], allowedHosts: [env.HOST] }) };
