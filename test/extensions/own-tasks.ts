import { z } from 'zod';
import { resultType } from '../../src/client/extensions/index.js';
import { type Client, type ClientExtension, McpError } from '../../src/client/index.js';
import {
  type Extension,
  extension,
  extensionResult,
  method,
  notice,
} from '../../src/server/extensions/index.js';
import type { JsonObject } from '../../src/server/index.js';
import { ERROR, type Server } from '../../src/server/index.js';

// A small version of the tasks extension, with public parts alone.

export const TASKS = 'com.example/jobs';
const Job = z.object({ jobId: z.string() });

/**
 * Lets the tool `render` answer with a job, which goes on after the response; and the calls of the tools in `slow`, whose
 * handlers know nothing of jobs.
 */
export function jobs(...slow: string[]): Extension & { finish(jobId: string, text: string): void } {
  const states = new Map<string, { status: 'working' | 'completed'; text?: string }>();
  let server: Server | undefined;
  const find = (jobId: string) => {
    const state = states.get(jobId);
    if (!state) throw new McpError(ERROR.invalidParams, 'unknown job');
    return { jobId, ...state };
  };
  const begin = () => {
    const jobId = `job-${states.size + 1}`;
    states.set(jobId, { status: 'working' });
    return jobId;
  };
  const finish = (jobId: string, text: string) => {
    states.set(jobId, { status: 'completed', text });
    server?.announce('notifications/jobs', find(jobId));
  };
  const made = extension({
    id: TASKS,
    methods: { 'jobs/get': method(Job, ({ jobId }) => find(jobId)) },
    resultTypes: ['job'],
    notices: {
      jobIds: notice('notifications/jobs', {
        filter: z.array(z.string()).max(100),
        wants: (ids, { jobId }) => ids.includes(jobId as string),
      }),
    },
    middleware: [
      {
        name: 'jobs',
        async request(call, next) {
          if (!slow.includes(call.target ?? '') || !call.extension(TASKS)) return next();
          const jobId = begin();
          const own = new AbortController();
          // The handler goes on without the request, so its progress becomes notices, and its signal outlives the response.
          const running = next({
            replace: () => ({
              signal: own.signal,
              meta: { ...call.meta, progressToken: jobId },
              notify: (_, { message }) =>
                server?.announce('notifications/jobs', { ...find(jobId), message } as JsonObject),
              ask: async () => ({ action: 'decline' }),
            }),
          });
          running.then(
            result => finish(jobId, (result as { content: { text: string }[] }).content[0]?.text ?? ''),
            error => finish(jobId, String(error)),
          );
          return extensionResult('job', { jobId, status: 'working' });
        },
      },
    ],
    install(own) {
      server = own;
      own.tool('render', {}, (_, ctx) => {
        ctx.requireExtension(TASKS);
        return extensionResult('job', { jobId: begin(), status: 'working' });
      });
    },
  });
  return Object.assign(made, { finish });
}

/** Follows a job to its end, by notices. */
export function jobsClient(): ClientExtension {
  return {
    id: TASKS,
    requests: ['jobs/get'],
    resultTypes: { job: resultType(Job) },
    notices: { jobIds: 'notifications/jobs' },
  };
}

export async function follow(client: Client, started: JsonObject, onListening: () => void): Promise<string> {
  const { jobId } = Job.parse(started);
  const changes = client.changes({ notices: { jobIds: [jobId] } }, { onReady: onListening });
  for await (const change of changes) {
    if (change.kind !== 'notice' || change.params.jobId !== jobId) continue;
    if (change.params.status === 'completed') return String(change.params.text);
  }
  throw new Error('the job did not end');
}
