/** The floor of rounds: what somebody would write for one tool alone, with the state sealed, and nothing checked. */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serverInfo } from '../scenarios.js';
import { announce } from './announce.js';

interface Message {
  id: number;
  params: { name: string; requestState?: string; inputResponses?: Record<string, unknown> };
}

interface State {
  answers: unknown[];
  expiresAt: number;
}

const algorithm = 'aes-256-gcm';
const key = createSecretKey(randomBytes(32));
const questions = ['The first number?', 'The second number?'];
const requestedSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };

const http = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(response, chunks));
});

function answer(response: ServerResponse, chunks: Buffer[]): void {
  const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const { id, params } = JSON.parse(body.toString()) as Message;
  const text = JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(params) });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(200, headers).end(text);
}

function resultOf({ name, requestState, inputResponses = {} }: Message['params']): object {
  const done = { resultType: 'complete', _meta, content: [{ type: 'text', text: 'done' }] };
  if (name === 'plain') return done;
  const state: State = requestState ? open(requestState) : { answers: [], expiresAt: Date.now() + 600_000 };
  if (state.expiresAt < Date.now()) throw new Error('the state has expired');
  state.answers.push(...Object.values(inputResponses));
  const message = questions[state.answers.length];
  if (!message) return done;
  const question = { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
  const inputRequests = { [`q${state.answers.length}`]: question };
  return { resultType: 'input_required', _meta, inputRequests, requestState: seal(state) };
}

function seal(state: State): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv(algorithm, key, iv);
  const sealed = cipher.update(JSON.stringify(state), 'utf8');
  cipher.final();
  return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
}

function open(text: string): State {
  const sealed = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = decipher.update(sealed.subarray(12, -16));
  decipher.final();
  return JSON.parse(plain.toString()) as State;
}

http.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
