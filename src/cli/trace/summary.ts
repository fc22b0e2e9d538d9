import { META } from 'tenon/protocol';
import { plainLine } from '../terminal/plain-text.js';

type Members = Readonly<Record<string, unknown>>;

/** How much of a value a summary shows; the terminal cuts it again. */
const MAX_SUMMARY = 400;

/** The parameters of a request or a notification in a few words. */
export function summarizeParams(method: string, params: unknown): string {
  return clip(PARAMS[method]?.(members(params)) ?? compact(withoutMeta(params)));
}

/** The result of a request in a few words. */
export function summarizeResult(method: string | undefined, result: unknown): string {
  const given = members(result);
  if (given.resultType === 'input_required') return clip(`asks ${summarizeQuestions(given.inputRequests)}`);
  const list = LISTS.find(name => Array.isArray(given[name]));
  if (list) return clip(summarizeList(list, given));
  const own = method === undefined ? undefined : RESULTS[method]?.(given);
  return clip(own ?? compact(withoutMeta(result)));
}

/** An error in a few words. */
export function summarizeError(error: unknown): string {
  const { code, message } = members(error);
  return clip(`${String(code)} ${String(message)}`);
}

const LISTS = ['tools', 'resources', 'resourceTemplates', 'prompts', 'roots'];

const PARAMS: Readonly<Record<string, (params: Members) => string>> = {
  initialize: ({ protocolVersion, clientInfo }) => `${text(protocolVersion)} ${implementation(clientInfo)}`,
  'server/discover': ({ _meta }) => {
    const { [META.protocolVersion]: revision, [META.clientInfo]: info } = members(_meta);
    return `${text(revision)} ${implementation(info)}`;
  },
  'tools/call': ({ name, arguments: args, inputResponses }) =>
    `${text(name)} ${entries(args)}${inputResponses ? ` + answers ${entries(inputResponses)}` : ''}`,
  'prompts/get': ({ name, arguments: args }) => `${text(name)} ${entries(args)}`,
  'resources/read': ({ uri }) => text(uri),
  'resources/subscribe': ({ uri }) => text(uri),
  'resources/unsubscribe': ({ uri }) => text(uri),
  'completion/complete': ({ ref, argument }) => {
    const { name, uri } = members(ref);
    const { name: argumentName, value } = members(argument);
    return `${text(name ?? uri)} ${text(argumentName)}=${text(value)}`;
  },
  'elicitation/create': ({ message, url }) => [message, url].filter(Boolean).map(text).join(' '),
  'sampling/createMessage': ({ messages }) =>
    summarizeContent(members(Array.isArray(messages) ? messages.at(-1) : undefined).content),
  'notifications/progress': ({ progress, total, message }) =>
    `${text(progress)}${total === undefined ? '' : `/${text(total)}`} ${message === undefined ? '' : text(message)}`,
  'notifications/message': ({ level, logger, data }) =>
    `${[level, logger].filter(Boolean).map(text).join(' ')}: ${text(data)}`,
  'notifications/resources/updated': ({ uri }) => text(uri),
  'notifications/cancelled': ({ requestId, reason }) => `#${text(requestId)} ${reason ? text(reason) : ''}`,
};

const RESULTS: Readonly<Record<string, (result: Members) => string>> = {
  initialize: ({ protocolVersion, serverInfo }) => `${implementation(serverInfo)} ${text(protocolVersion)}`,
  'server/discover': ({ supportedVersions, _meta }) =>
    `${implementation(members(_meta)[META.serverInfo])} ${Array.isArray(supportedVersions) ? supportedVersions.map(text).join(', ') : ''}`,
  'tools/call': ({ content, structuredContent }) =>
    structuredContent === undefined ? summarizeContent(content) : entries(structuredContent),
  'resources/read': ({ contents }) => summarizeContent(contents),
  'prompts/get': ({ messages }) =>
    Array.isArray(messages) ? messages.map(one => summarizeContent(members(one).content)).join('; ') : '',
  'elicitation/create': ({ action, content }) => `${text(action)} ${entries(content)}`,
  'sampling/createMessage': ({ content }) => summarizeContent(content),
  'completion/complete': ({ completion }) => {
    const { values } = members(completion);
    return Array.isArray(values) ? values.map(text).join(', ') : '';
  },
};

function summarizeList(name: string, result: Members): string {
  const list = result[name] as readonly unknown[];
  const names = list.slice(0, 20).map(one => text(members(one).name ?? members(one).uri));
  const noun = name === 'resourceTemplates' ? 'templates' : name;
  const more = result.nextCursor === undefined ? '' : ', and more pages';
  return `${list.length.toLocaleString('en')} ${list.length === 1 ? noun.slice(0, -1) : noun}${more}: ${names.join(', ')}`;
}

function summarizeQuestions(questions: unknown): string {
  const list = Object.values(members(questions)).map(one => {
    const { method, params } = members(one);
    return `${text(method)} ${summarizeParams(text(method), params)}`;
  });
  return list.length === 0 ? 'to try again' : list.join('; ');
}

function summarizeContent(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map(block => summarizeBlock(members(block))).join(' ');
}

function summarizeBlock(block: Members): string {
  if (typeof block.text === 'string') return JSON.stringify(block.text.slice(0, MAX_SUMMARY));
  const data = block.data ?? block.blob;
  const size =
    typeof data === 'string' ? ` ${Math.floor((data.length * 3) / 4).toLocaleString('en')} bytes` : '';
  const name = block.mimeType ?? block.uri ?? block.type ?? '';
  return `(${text(name)}${size})`;
}

function implementation(info: unknown): string {
  const { name, version } = members(info);
  return [name, version].filter(one => typeof one === 'string').join(' ');
}

/** The members of an object as `name: value`. */
function entries(value: unknown): string {
  return Object.entries(members(value))
    .map(([name, one]) => `${name}: ${compact(one)}`)
    .join(', ');
}

function withoutMeta(value: unknown): Members {
  const { _meta, ...rest } = members(value);
  return rest;
}

function compact(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  return json === '{}' ? '' : json;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : compact(value);
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

/** Values of servers can be long: they are cut before their control characters are looked for. */
function clip(summary: string): string {
  return plainLine(summary.slice(0, 4 * MAX_SUMMARY)).slice(0, MAX_SUMMARY);
}
