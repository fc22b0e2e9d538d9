// A server that only callers with an access token reach: node --import tsx examples/protected/main.ts
// Then sign in with any name and password: npx tenon call http://127.0.0.1:3000/mcp read_notes
import { Server } from 'tenon';
import { jwt, protect } from 'tenon/auth';
import { listen } from 'tenon/node';
import { z } from 'zod';
import { startProvider } from './provider.ts';

const notes = new Map<string, string[]>();
const server = new Server({ name: 'notes', version: '1.0.0' });

// Everybody has their own notes. `ctx.caller` is who the access token was made for.
server.tool('read_notes', { scopes: ['notes:read'] }, (_args, ctx) => {
  return notes.get(String(ctx.caller?.principal))?.join('\n') ?? 'There are no notes.';
});
server.tool(
  'write_note',
  { scopes: ['notes:write'], input: z.object({ text: z.string().min(1) }) },
  ({ text }, ctx) => {
    const principal = String(ctx.caller?.principal);
    notes.set(principal, [...(notes.get(principal) ?? []), text]);
    return 'Written.';
  },
);

const issuer = await startProvider();
const { url } = await listen(server, {
  port: Number(process.env.PORT ?? 3000),
  // On loopback, the resource is the URL of the server. Elsewhere name it: resource: 'https://mcp.example.com/mcp'.
  auth: protect({ authorizationServers: [issuer], verify: jwt({ issuer }), scopes: ['notes:read'] }),
});
console.log(`The notes are at ${url}, and the identity provider at ${issuer}`);
