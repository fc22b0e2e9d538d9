import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { readEvents } from './event-text.js';
import { describeExchange } from './exchange.js';
import { brief } from './host.js';
import { isMcpAnswer, isSseOpening } from './mcp-answer.js';
import { isUnexplained } from './redirect.js';
import type { HttpSubject } from './subject.js';

/** Where servers usually are. */
const PATHS = ['/mcp', '/', '/mcp/', '/api/mcp', '/v1/mcp', '/sse'];

/** Is there a web page, or nothing, at the path of the URL? Looks for the server at the usual paths. */
export const checkPath: Check<HttpSubject> = {
  title: 'Cause',
  applies: subject => isUnexplained(subject) && (isMissing(subject) || titleOfPage(subject) !== undefined),
  async run(subject, report) {
    subject.isExplained = true;
    const found = await findServer(subject);
    const what = found ? `an MCP server answers at ${found}` : `no MCP server at ${PATHS.join(', ')} either`;
    report.step({ mark: found ? 'ok' : 'info', what });
    return [explain(subject, found ? `Use ${found}.` : adviceFor(subject))];
  },
};

function adviceFor(subject: HttpSubject): string {
  const { pathname } = subject.url;
  if (!/\/(mcp|sse)\/?$/.test(pathname))
    return 'Look up the URL of the MCP endpoint in the documentation of the server; it often ends with /mcp.';
  if (titleOfPage(subject) === undefined)
    return `Check that the MCP server runs there, that it serves ${pathname}, and that proxies pass POST requests on to it.`;
  return (
    `If the server is yours, let POST requests to ${pathname} reach it: a web server or proxy answers them with a page, ` +
    'as it does for unknown paths or before a login. Otherwise look up the URL of its MCP endpoint.'
  );
}

function isMissing({ firstAnswer, greetings }: HttpSubject): boolean {
  return [firstAnswer, greetings[0]?.exchange].some(
    one => (one?.status === 404 || one?.status === 405 || one?.status === 410) && !one.answer,
  );
}

/** The title of the web page that answers; undefined if there is none. */
function titleOfPage({ firstAnswer }: HttpSubject): string | undefined {
  const isPage = /^text\/html\b/i.test(firstAnswer?.headers['content-type'] ?? '');
  const isSuccess = firstAnswer?.status !== undefined && firstAnswer.status < 300;
  if (!isPage || !isSuccess) return undefined;
  return brief(/<title[^>]*>([^<]*)/i.exec(firstAnswer.body)?.[1] ?? '', 80);
}

async function findServer(subject: HttpSubject): Promise<string | undefined> {
  for (const path of PATHS) {
    const url = new URL(path, subject.url);
    if (url.pathname === subject.url.pathname) continue;
    if (isMcpAnswer(await subject.discover({}, url))) return url.href;
    if (path !== '/sse') continue;
    const isEnough = (body: string) => readEvents(body).length > 0;
    const headers = { accept: 'text/event-stream' };
    if (isSseOpening(await subject.send({ method: 'GET', headers, limitMs: 2000, isEnough }, url)))
      return url.href;
  }
  return undefined;
}

function explain(subject: HttpSubject, todo: string): Finding {
  const { url, firstAnswer } = subject;
  const page = titleOfPage(subject);
  if (page !== undefined) {
    const title = `there is a web page at this URL${page && ` (“${page}”)`}, no MCP server`;
    return { cause: 'web-page', severity: 'error', title, detail: tried(subject), todo };
  }
  const title = `there is nothing at the path ${url.pathname} (${firstAnswer?.status})`;
  return { cause: 'wrong-path', severity: 'error', title, detail: tried(subject), todo };
}

function tried({ firstAnswer }: HttpSubject): string {
  return `POST was answered with ${firstAnswer ? describeExchange(firstAnswer) : 'nothing'}.`;
}
