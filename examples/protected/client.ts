// A program that writes a note, in its own name: node --import tsx examples/protected/client.ts http://127.0.0.1:3000/mcp
import { clientCredentials } from 'tenon/auth/client';
import { connect } from 'tenon/client';
import { WORKER } from './provider.ts';

const [url = 'http://127.0.0.1:3000/mcp'] = process.argv.slice(2);
// For a user on this machine it is `auth: signIn()`, which opens the browser.
const client = await connect(url, { auth: clientCredentials(WORKER) });
// The first token is for reading. Writing needs another scope, so the client gets a second one.
await client.callTool('write_note', { text: 'Buy bread.' });
const { content } = await client.callTool('read_notes');
console.log(content);
await client.close();
