import { type Client, type ConnectOptions, type ConnectTarget, connect, ERROR, McpError } from 'tenon/client';
import type { JsonObject } from 'tenon/protocol';
import { describeFailure } from '../failure.js';
import { isObject } from '../is-object.js';
import type { Check } from './check.js';
import type { Finding } from './finding.js';
import type { Report } from './report.js';
import { inspectPrompts, inspectResources, inspectTools } from './surface/entries.js';

const TEMPLATES = 'resource templates';

/** What is needed to connect as a client does. */
export interface Visit {
  readonly target: ConnectTarget;
  readonly options: ConnectOptions;
  readonly signal: AbortSignal;
  /** Called with the revision of the connection. */
  readonly onConnected?: (revision: string) => void;
}

/** Connects with the client of the SDK, and looks at everything that the server offers. Calls nothing. */
export function checkAsClient<Subject>(plan: (subject: Subject) => Visit | undefined): Check<Subject> {
  return {
    title: 'Server',
    applies: subject => plan(subject) !== undefined,
    async run(subject, report) {
      const { target, options, signal, onConnected } = plan(subject) as Visit;
      const results: Received[] = [];
      const start = performance.now();
      let client: Client;
      try {
        client = await connect(target, {
          ...options,
          signal,
          onMessage: collect(results),
          onWarning: () => {},
        });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const ms = performance.now() - start;
        const { message } = describeFailure(error);
        report.step({ mark: 'error', what: 'connecting as a client', outcome: message, ms });
        // A cause that is known already need not be told in other words.
        const isKnown = report.findings.some(({ severity }) => severity === 'error');
        return isKnown ? [] : [cannotConnect(error)];
      }
      onConnected?.(client.revision);
      try {
        showServer(client, performance.now() - start, report);
        return [...(await list(client, signal, report)), ...inspect(results)];
      } finally {
        await client.close();
      }
    },
  };
}

/** A result of the server, with the method that was asked. */
interface Received {
  readonly method: string;
  readonly result: JsonObject;
}

/** Keeps the results as they came, before the client has read them. */
function collect(results: Received[]): ConnectOptions['onMessage'] {
  const methods = new Map<unknown, string>();
  return traffic => {
    if (traffic.direction === 'failed') return;
    const { id, method, result } = traffic.message;
    if (traffic.direction === 'sent' && typeof method === 'string') methods.set(id, method);
    else if (isObject(result)) results.push({ method: methods.get(id) ?? '', result });
  };
}

function showServer({ server, revision }: Client, ms: number, report: Report): void {
  const { info, capabilities, instructions } = server;
  const name = info ? `${info.title ?? info.name} ${info.version ?? ''}`.trim() : 'a server without a name';
  report.step({ mark: 'ok', what: name, outcome: `in revision ${revision}`, ms });
  report.step({ mark: 'info', what: 'capabilities', outcome: describeCapabilities(capabilities) });
  if (instructions) {
    report.step({ mark: 'info', what: 'instructions', outcome: `${instructions.length} characters` });
  }
}

function describeCapabilities(capabilities: object): string {
  const parts = Object.entries(capabilities).map(([name, value]) => {
    const details = isObject(value) ? Object.keys(value).filter(key => value[key] !== false) : [];
    return details.length > 0 ? `${name} (${details.join(', ')})` : name;
  });
  return parts.join(', ') || 'none';
}

/** Lists everything, as far as the server has declared it. */
async function list(client: Client, signal: AbortSignal, report: Report): Promise<Finding[]> {
  const { tools, resources, prompts } = client.server.capabilities;
  const lists: [string, (() => Promise<unknown[]>) | undefined][] = [
    ['tools', tools && (() => client.tools({ signal }))],
    ['resources', resources && (() => client.resources({ signal }))],
    [TEMPLATES, resources && (() => client.resourceTemplates({ signal }))],
    ['prompts', prompts && (() => client.prompts({ signal }))],
  ];
  const findings: Finding[] = [];
  for (const [what, read] of lists) {
    if (!read) continue;
    const start = performance.now();
    try {
      const { length } = await read();
      report.step({ mark: 'ok', what, outcome: `${length}`, ms: performance.now() - start });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { message } = describeFailure(error);
      // A server with resources need not know templates.
      const isOptional =
        what === TEMPLATES && error instanceof McpError && error.code === ERROR.methodNotFound;
      const ms = performance.now() - start;
      report.step({ mark: isOptional ? 'info' : 'error', what, outcome: message, ms });
      if (isOptional) continue;
      findings.push(cannotList(what, message));
    }
  }
  return findings;
}

function inspect(results: readonly Received[]): Finding[] {
  const all = (method: string, key: string) =>
    results
      .filter(one => one.method === method)
      .flatMap(({ result }) => (Array.isArray(result[key]) ? (result[key] as unknown[]) : []));
  return [
    ...inspectTools(all('tools/list', 'tools')),
    ...inspectResources(all('resources/list', 'resources')),
    ...inspectPrompts(all('prompts/list', 'prompts')),
  ];
}

function cannotConnect(error: unknown): Finding {
  const { message, next } = describeFailure(error);
  return {
    cause: 'cannot-connect',
    severity: 'error',
    title: 'a client cannot connect, though the server answers single requests',
    detail: message,
    todo: next?.includes('doctor')
      ? 'Look into the log of the server.'
      : (next ?? 'Look into the log of the server.'),
  };
}

function cannotList(what: string, message: string): Finding {
  return {
    cause: 'invalid-answer',
    severity: 'error',
    title: `the list of ${what} cannot be read`,
    detail: message,
    todo: `Correct the list, or do not declare the capability if there are no ${what}.`,
  };
}
