import { isObject, type JsonObject } from '../../base/json.js';
import type { Progress } from '../../protocol/call.js';
import type { InputResponse } from '../../protocol/input.js';
import { RELATED_TASK } from '../../protocol/task.js';
import type { CallContext, OwnCall } from '../extension.js';
import type { ClientMiddlewareLayer } from '../middleware.js';
import type { Follower } from './follow.js';

/** The messages about tasks of 2025-11-25 that come outside of the answers to requests: state, progress and questions. */
export class CoreMessages {
  readonly followers = new Set<Follower>();
  /** The tokens of calls that became tasks, and who is told: a token is good for as long as the task lives. */
  readonly #progress = new Map<string, { call: CallContext; tell: (progress: Progress) => void }>();

  readonly layer: ClientMiddlewareLayer = {
    name: 'io.modelcontextprotocol/tasks',
    receive: ({ method, params }, next) => {
      if (method === 'notifications/progress') this.#progressed(params);
      if (method === 'notifications/tasks/status') for (const one of this.#about(params.taskId)) one.wake();
      next();
    },
    question: async ({ question }, next) => {
      const related = relatedTask(question.params);
      if (!related) return next();
      const [follower] = this.#about(related.taskId);
      const answer = await (follower ? follower.asking(next()) : next());
      const { _meta } = answer as { _meta?: JsonObject };
      return { ...answer, _meta: { ..._meta, [RELATED_TASK]: related } } as InputResponse;
    },
  };

  /** Sends a call that asks for a task. */
  async ask(call: CallContext, next: Parameters<OwnCall>[1]): Promise<JsonObject> {
    const { task: wish, onProgress } = call.options;
    const { ttlMs: ttl } = isObject(wish) ? wish : {};
    const params = { ...call.params, task: ttl === undefined ? {} : { ttl } };
    if (!onProgress) return next({ params });
    const token = crypto.randomUUID();
    const meta = isObject(call.params._meta) ? call.params._meta : {};
    this.#progress.set(token, { call, tell: onProgress });
    const options = { ...call.options, onProgress: undefined };
    return next({ params: { ...params, _meta: { ...meta, progressToken: token } }, options }).catch(error => {
      this.end(call);
      throw error;
    });
  }

  /** Nobody waits for the progress of a call any more. */
  end(call: CallContext): void {
    for (const [token, one] of this.#progress) if (one.call === call) this.#progress.delete(token);
  }

  #about(taskId: unknown): Follower[] {
    return [...this.followers].filter(({ handle }) => handle.taskId === taskId);
  }

  #progressed({ progressToken, progress, total, message }: JsonObject): void {
    const known = this.#progress.get(progressToken as string);
    if (!known || typeof progress !== 'number') return;
    known.tell({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }
}

function relatedTask(params: unknown): JsonObject | undefined {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  const related = meta[RELATED_TASK];
  return isObject(related) ? related : undefined;
}
