import type { WireMessage } from '../../api.js';
import { describeTask } from './describe-task.js';

/** A message as a row of the timeline. */
export interface Row {
  readonly wire: WireMessage;
  /** Since the first message. */
  readonly offsetMs: number;
  /** The method, or what kind of answer it is. */
  readonly title: string;
  /** The name of the tool, the request that is answered, and the like. */
  readonly detail: string;
  readonly kind: 'request' | 'notification' | 'result' | 'question' | 'task' | 'error';
}

type Message = Readonly<Record<string, unknown>>;

/** Describes the messages of a call, each by what came before it. */
export function describe(messages: readonly WireMessage[]): Row[] {
  const start = messages[0]?.at ?? 0;
  const methods = new Map<string, string>();
  return messages.map(wire => {
    const { message = {} } = wire;
    const from = wire.direction === 'sent' ? 'sent' : 'received';
    if (typeof message.method === 'string') methods.set(`${from} ${String(message.id)}`, message.method);
    const asked = methods.get(`${from === 'sent' ? 'received' : 'sent'} ${String(message.id)}`) ?? '';
    return { wire, offsetMs: wire.at - start, ...summarize(wire, message, asked) };
  });
}

function summarize(
  { direction, problem, status }: WireMessage,
  message: Message,
  asked: string,
): Pick<Row, 'title' | 'detail' | 'kind'> {
  if (direction === 'failed') return { title: 'no answer', detail: problem ?? '', kind: 'error' };
  if (typeof message.method === 'string') {
    const params = objectIn(message, 'params');
    const kind = message.id === undefined ? 'notification' : 'request';
    const task = kind === 'notification' ? describeTask(params) : undefined;
    if (task) return { title: message.method, detail: `${task.title} ${task.detail}`.trim(), kind: 'task' };
    return { title: message.method, detail: subjectOf(message.method, params), kind };
  }
  if ('error' in message) {
    const { code, message: text } = objectIn(message, 'error');
    const http = status === undefined ? '' : `HTTP ${status} · `;
    return { title: `error ${String(code)}`, detail: `${http}${String(text)}`, kind: 'error' };
  }
  const result = objectIn(message, 'result');
  if (result.resultType === 'input_required') {
    const questions = Object.values(objectIn(result, 'inputRequests')) as Message[];
    const detail = questions.map(question => String(question?.method)).join(', ');
    return { title: 'input_required', detail, kind: 'question' };
  }
  const task = describeTask(result);
  if (task) return { ...task, kind: 'task' };
  return {
    title: 'result',
    detail: contentOf(result) ?? asked,
    kind: result.isError === true ? 'error' : 'result',
  };
}

/** What a result has in it, in a few words. */
function contentOf(result: Message): string | undefined {
  if (typeof result.action === 'string') return result.action;
  const content = [result.content ?? result.messages ?? result.contents].flat() as Message[];
  const types = content
    .map(one => one?.type ?? one?.role ?? one?.mimeType)
    .filter(type => typeof type === 'string');
  const parts = [result.isError === true ? 'isError' : '', [...new Set(types)].join(', ')].filter(Boolean);
  return parts.length > 0 ? parts.join(' · ') : undefined;
}

function subjectOf(method: string, params: Message): string {
  const answers = Object.keys(objectIn(params, 'inputResponses')).length;
  const name = params.name ?? params.uri ?? params.level ?? params.message ?? params.taskId;
  if (method === 'notifications/message') return `${String(params.level)}: ${inShort(params.data)}`;
  if (method === 'notifications/progress') {
    return `${String(params.progress)}${params.total === undefined ? '' : ` of ${String(params.total)}`}${params.message === undefined ? '' : ` · ${String(params.message)}`}`;
  }
  const text = typeof name === 'string' ? name : '';
  return answers > 0 ? `${text} · with ${answers === 1 ? 'the answer' : `${answers} answers`}` : text;
}

function inShort(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function objectIn(message: Message, member: string): Message {
  const value = message[member];
  return typeof value === 'object' && value !== null ? (value as Message) : {};
}
