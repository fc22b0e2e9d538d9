/** The same server as in tenon.ts, but requests need a token. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Server } from 'tenon';
import { jwt, protect } from 'tenon/auth';
import { listen } from 'tenon/node';
import { serverInfo } from '../scenarios.js';
import { makeTools } from '../tools.js';
import { announce, toolCount } from './announce.js';

const issuer = 'https://login.example.com';
const { publicKey, privateKey } = await generateKeyPair('ES256');
const keys = JSON.stringify({ keys: [await exportJWK(publicKey)] });
const keyServer = createServer((_, response) => response.end(keys)).listen(0, '127.0.0.1');
await once(keyServer, 'listening');
const jwksUri = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/`;

const server = new Server(serverInfo);
for (const { name, description, input, run } of makeTools(toolCount)) {
  server.tool(name, { description, input, scopes: ['tools'] }, async args => run(args));
}

const resource = 'https://mcp.example.com/mcp';
const auth = protect({
  resource,
  authorizationServers: [issuer],
  scopes: ['mcp'],
  verify: jwt({ issuer, jwksUri }),
});
const { url } = await listen(server, { port: 0, host: '127.0.0.1', path: '/mcp', auth });
const token = await new SignJWT({ scope: 'mcp tools', client_id: 'bench' })
  .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
  .setIssuer(issuer)
  .setAudience(resource)
  .setSubject('ada')
  .setIssuedAt()
  .setExpirationTime('1h')
  .sign(privateKey);
announce(String(url), token);
