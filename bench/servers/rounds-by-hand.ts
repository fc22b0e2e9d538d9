/** The floor of rounds: a server for one tool alone, which seals its state and checks nothing. */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { serverInfo } from '../scenarios.js';
import { respond, serveBodies } from './node-http.js';

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

serveBodies((body, response) => {
  const { id, params } = JSON.parse(body) as Message;
  respond(response, JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(params) }));
});

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
