import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { memoryCluster } from '../../src/server/cluster/index.js';
import {
  type AccessRequest,
  ERROR,
  inputRequired,
  McpError,
  Server,
  UsageError,
} from '../../src/server/index.js';
import { completeTask, failTask, tasks, updateTask } from '../../src/server/tasks/index.js';
import { connectRaw, type RawClient } from '../raw-client.js';
import { connectAs, connectTo, createStudio, gate, startTask, untilShown, untilTask } from './studio.js';

const UNKNOWN = 'there is no such task of this caller, or its time is over';
const NAME = z.object({ name: z.string() });
const accept = (content: object) => ({ action: 'accept', content });

function text(result: unknown): unknown {
  return (result as { content: { text?: string }[] }).content[0]?.text;
}

describe('a call of a tool', () => {
  // covers: tasks/result-type-is-only-for-tasks
  it('gets its result at once if the tool is quick, and nothing is stored for it', async () => {
    const cluster = memoryCluster();
    const write = vi.spyOn(cluster, 'write');
    const studio = createStudio({ cluster });
    studio.server.tool('add', { task: 'auto' }, () => 'three');
    const client = await connectTo(studio);
    const result = await client.request('tools/call', { name: 'add' });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'three' }] });
    expect(write).not.toHaveBeenCalled();
  });

  it('sends its progress and its log messages as long as it is no task', async () => {
    const studio = createStudio();
    studio.server.tool('add', { task: 'auto' }, (_, ctx) => {
      ctx.progress(1, { message: 'half' });
      ctx.log.info('adding');
      return 'three';
    });
    const client = await connectTo(studio);
    const _meta = { progressToken: 7, 'io.modelcontextprotocol/logLevel': 'info' };
    await client.request('tools/call', { name: 'add', _meta });
    expect(client.notifications).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 7, message: 'half' } },
      { method: 'notifications/message', params: { data: 'adding' } },
    ]);
    await client.request('tools/call', { name: 'add' });
    expect(client.notifications).toHaveLength(2);
  });

  it('sends its notifications through the middleware once', async () => {
    const studio = createStudio();
    const sent: string[] = [];
    studio.server.use({
      name: 'audit',
      send: ({ method, params }, next) => {
        sent.push(method);
        next({ params: { ...params, message: 'seen' } });
      },
    });
    studio.server.tool('add', { task: 'auto' }, (_, ctx) => {
      ctx.progress(1, { message: 'half' });
      return 'three';
    });
    const client = await connectTo(studio);
    await client.request('tools/call', { name: 'add', _meta: { progressToken: 7 } });
    expect(sent).toEqual(['notifications/progress']);
    expect(client.notifications).toMatchObject([{ params: { progressToken: 7, message: 'seen' } }]);
  });

  // covers: tasks/result-type-is-task, tasks/durable-before-the-handle, tasks/get-has-the-result
  // covers: tasks/get-is-complete, tasks/results-are-those-of-the-request, tasks/get-says-working
  it('becomes a task if it takes longer than the tool says, and its handler goes on', async () => {
    const studio = createStudio();
    const { opened, open } = gate<string>();
    let runs = 0;
    studio.server.tool('render', { task: { after: 1 } }, () => {
      runs++;
      return opened;
    });
    const client = await connectTo(studio);
    const { taskId, ...created } = await startTask(client, 'render');
    expect(await client.request('tasks/get', { taskId })).toMatchObject({
      resultType: 'complete',
      status: 'working',
    });
    expect(created).toMatchObject({ status: 'working', ttlMs: 3_600_000, pollIntervalMs: 500 });
    open('done');
    const ended = await untilTask(client, taskId, 'completed');
    expect(text(ended.result)).toBe('done');
    expect(ended.result).toMatchObject({ resultType: 'complete' });
    expect(runs).toBe(1);
  });

  // covers: tasks/only-for-declaring-clients
  it('waits for clients that know no tasks', async () => {
    const studio = createStudio();
    studio.server.tool('render', { task: { after: 0 } }, async (_, ctx) => {
      await new Promise(resolve => setTimeout(resolve, 20));
      return `${ctx.task?.id}`;
    });
    for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
      const client = await connectRaw(studio.server, { revision });
      expect(text(await client.request('tools/call', { name: 'render' }))).toBe('undefined');
    }
  });

  // covers: tasks/missing-capability-where-needed
  it('is refused with what the client has to declare if the tool always makes tasks', async () => {
    const studio = createStudio();
    studio.server.tool('render', { task: 'always' }, () => 'done');
    const client = await connectRaw(studio.server);
    await expect(client.request('tools/call', { name: 'render' })).rejects.toMatchObject({
      code: ERROR.missingCapability,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
  });

  it('is checked before a task is made of it: the caller and the arguments', async () => {
    const studio = createStudio();
    const input = z.object({ scene: z.number() });
    studio.server.tool('render', { input, task: 'always' }, () => 'done');
    studio.server.tool('burn', { scopes: ['burn'], task: 'always' }, () => 'ashes');
    const client = await connectAs(studio, 'ada');
    const refused = await client.request('tools/call', { name: 'render', arguments: { scene: 'x' } });
    expect(refused).toMatchObject({ resultType: 'complete', isError: true });
    await expect(client.request('tools/call', { name: 'burn' })).rejects.toThrow(/burn|HTTP 403/);
  });

  it('is refused when its caller has as many tasks as it may have, and waits if the tool lets it', async () => {
    const studio = createStudio({ maxTasks: 1 });
    studio.server.tool('render', { task: 'always' }, () => 'done');
    studio.server.tool('draw', { task: { after: 0 } }, async () => {
      await new Promise(resolve => setTimeout(resolve, 20));
      return 'drawn';
    });
    const [ada, bob] = [await connectAs(studio, 'ada'), await connectAs(studio, 'bob')];
    await startTask(ada, 'render');
    await expect(ada.request('tools/call', { name: 'render' })).rejects.toMatchObject({ code: ERROR.busy });
    expect(text(await ada.request('tools/call', { name: 'draw' }))).toBe('drawn');
    await startTask(bob, 'render');
  });

  it('throws for options that cannot work', () => {
    expect(() => tasks({ ttlMs: 0 })).toThrow(UsageError);
  });
});

describe('the id of a task', () => {
  // covers: tasks/get-of-an-unknown-task, tasks/update-of-an-unknown-task, tasks/cancel-of-an-unknown-task
  // covers: tasks/errors-inform, tasks/access-is-checked, tasks/ids-cannot-be-guessed
  it('that is unknown, foreign, malformed or expired has one and the same answer', async () => {
    const studio = createStudio({ ttlMs: 200 });
    studio.server.tool('render', { task: 'always' }, () => 'done');
    const [ada, bob] = [await connectAs(studio, 'ada'), await connectAs(studio, 'bob')];
    const { taskId } = await startTask(ada, 'render');
    // 122 random bits.
    expect(taskId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const foreign = (method: string, more = {}) => bob.request(method, { taskId, ...more });
    const error = { code: ERROR.invalidParams, message: UNKNOWN };
    await expect(foreign('tasks/get')).rejects.toMatchObject(error);
    await expect(foreign('tasks/cancel')).rejects.toMatchObject(error);
    await expect(foreign('tasks/update', { inputResponses: {} })).rejects.toMatchObject(error);
    for (const id of ['', 'x'.repeat(10_000), '../..', crypto.randomUUID()])
      await expect(ada.request('tasks/get', { taskId: id })).rejects.toMatchObject(error);
    await vi.waitFor(() => expect(ada.request('tasks/get', { taskId })).rejects.toMatchObject(error), {
      timeout: 120_000,
      interval: 60,
    });
  });

  it.each([
    ['a hidden tool', { scopes: ['film'], hidden: 'unless-allowed' } as const],
    [
      'a tool with a rule of its own',
      { authorize: ({ caller }: AccessRequest) => caller?.scopes?.includes('film') === true },
    ],
  ])('of %s is unknown to a token that may not use the tool any more', async (_, access) => {
    const studio = createStudio();
    studio.server.tool('render', { task: 'always', ...access }, () => 'done');
    const connect = (scopes: string[]) =>
      connectTo(studio, { authenticate: () => ({ principal: 'ada', scopes }) });
    const { taskId } = await startTask(await connect(['film']), 'render');
    const lesser = await connect([]);
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      await expect(lesser.request(method, { taskId, inputResponses: {} })).rejects.toThrow(UNKNOWN);
    await untilTask(await connect(['film']), taskId, 'completed');
  });

  it('is unknown to its own principal with a token that lacks a scope of the tool', async () => {
    const studio = createStudio();
    studio.server.tool('render', { task: 'always', scopes: ['film'] }, () => 'done');
    const connect = (scopes: string[]) =>
      connectTo(studio, { authenticate: () => ({ principal: 'ada', scopes }) });
    const [full, reduced] = [await connect(['film', 'view']), await connect(['view'])];
    const { taskId } = await startTask(full, 'render');
    const error = { code: ERROR.invalidParams, message: UNKNOWN };
    await expect(reduced.request('tasks/get', { taskId })).rejects.toMatchObject(error);
    const update = reduced.request('tasks/update', { taskId, inputResponses: {} });
    await expect(update).rejects.toMatchObject(error);
    const accepted = async (client: RawClient) => {
      void client.request('subscriptions/listen', { notifications: { taskIds: [taskId] } }).catch(() => {});
      return vi.waitFor(() => {
        expect(client.notifications).not.toHaveLength(0);
        return client.notifications[0]?.params.notifications;
      });
    };
    expect(await accepted(full)).toEqual({ taskIds: [taskId] });
    expect(await accepted(reduced)).not.toEqual({ taskIds: [taskId] });
    await untilTask(full, taskId, 'completed');
  });

  // covers: tasks/listening-needs-the-extension, tasks/methods-need-the-extension
  it('cannot be used by clients that did not declare the extension', async () => {
    const studio = createStudio();
    studio.server.tool('render', { task: 'always' }, () => 'done');
    const { taskId } = await startTask(await connectTo(studio), 'render');
    const other = await connectRaw(studio.server);
    const missing = { code: ERROR.missingCapability };
    await expect(other.request('tasks/get', { taskId })).rejects.toMatchObject(missing);
    const listening = other.request('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    await expect(listening).rejects.toMatchObject(missing);
  });

  it('can be asked for often, but not a thousand times a second', async () => {
    const studio = createStudio();
    studio.server.tool('render', { task: 'always' }, () => 'done');
    const client = await connectTo(studio);
    const { taskId } = await startTask(client, 'render');
    const asked = Array.from({ length: 300 }, () => client.request('tasks/get', { taskId }));
    const answers = await Promise.allSettled(asked);
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(50);
    expect(refused[0]).toMatchObject({ reason: { code: ERROR.busy, data: { retryAfterMs: 1000 } } });
  });
});

describe('the questions of a task', () => {
  const studio = createStudio();
  const steps: string[] = [];
  studio.server.tool('cast', { task: 'always' }, async (_, ctx) => {
    const hero = await ctx.elicit('Who is the hero?', NAME);
    await ctx.step('book', () => steps.push('book'));
    const [villain, judge] = await Promise.all([
      ctx.elicit('Who is the villain?', NAME),
      ctx.elicit('Who is the judge?', NAME),
    ]);
    return JSON.stringify([hero, villain, judge].map(answer => (answer as { content: unknown }).content));
  });

  // covers: tasks/keys-are-unique, tasks/keys-are-not-used-again, tasks/get-has-all-questions
  // covers: tasks/update-is-acknowledged, tasks/other-answers-are-ignored
  it('have keys that are never used twice, and answers that accumulate', async () => {
    steps.length = 0;
    const client = await connectTo(studio);
    const { taskId } = await startTask(client, 'cast');
    const first = await untilTask(client, taskId, 'input_required');
    expect(first).toMatchObject({
      statusMessage: 'Who is the hero?',
      inputRequests: { q0: { method: 'elicitation/create', params: { message: 'Who is the hero?' } } },
    });
    const update = (inputResponses: object) => client.request('tasks/update', { taskId, inputResponses });
    expect(await update({ q0: accept({ name: 'Ada' }) })).toMatchObject({ resultType: 'complete' });
    const second = await untilShown(client, taskId, ({ inputRequests }) => inputRequests !== undefined);
    const keys = Object.keys(second.inputRequests as object);
    expect(keys).toEqual(['q2', 'q3']);
    await update({ q2: accept({ name: 'Bob' }) });
    const third = await client.request('tasks/get', { taskId });
    expect(third.status).toBe('input_required');
    expect(Object.keys(third.inputRequests as object)).toEqual(['q3']);
    // An answer that was given is not replaced, and keys that were never asked are ignored.
    await update({ q0: accept({ name: 'Eve' }), q2: accept({ name: 'Eve' }), q99: { x: 1 } });
    await update({ q3: accept({ name: 'Cy' }) });
    const { result } = await untilTask(client, taskId, 'completed');
    expect(text(result)).toBe('[{"name":"Ada"},{"name":"Bob"},{"name":"Cy"}]');
    expect(steps).toEqual(['book']);
    await update({ q3: accept({ name: 'Late' }) });
  });

  it('stay open if an answer has the wrong shape, and nothing of the update is taken', async () => {
    const client = await connectTo(studio);
    const { taskId } = await startTask(client, 'cast');
    await untilTask(client, taskId, 'input_required');
    const update = (inputResponses: unknown) => client.request('tasks/update', { taskId, inputResponses });
    for (const wrong of [undefined, 'x', { q0: 'x' }, { q0: { action: 'perhaps' } }, { q0: {} }])
      await expect(update(wrong)).rejects.toMatchObject({ code: ERROR.invalidParams });
    const { inputRequests } = await client.request('tasks/get', { taskId });
    expect(Object.keys(inputRequests as object)).toEqual(['q0']);
    // Content that the form refuses is asked for again, as another question.
    await update({ q0: accept({ name: 7 }) });
    const again = await untilShown(client, taskId, task => 'q1' in ((task.inputRequests ?? {}) as object));
    expect(JSON.stringify(again.inputRequests)).toContain('The last answer did not fit');
  });

  // covers: tasks/keys-are-not-used-again
  it('may be asked by hand, and have other keys when their names come again', async () => {
    const own = createStudio();
    own.server.tool('cast', { task: 'always' }, async (_, ctx) => {
      const answer = await ctx.answerTo('hero', NAME);
      if (answer?.action === 'accept' && ctx.requestState === 'second') return answer.content.name;
      const requests = {
        hero: {
          method: 'elicitation/create' as const,
          params: { message: 'Who?', requestedSchema: z.toJSONSchema(NAME) },
        },
      };
      return inputRequired({ requests, state: ctx.requestState ? 'second' : 'first' });
    });
    const client = await connectTo(own);
    const { taskId } = await startTask(client, 'cast');
    const first = await untilTask(client, taskId, 'input_required');
    expect(Object.keys(first.inputRequests as object)).toEqual(['hero']);
    expect(first).not.toHaveProperty('requestState');
    const update = (key: string, name: string) =>
      client.request('tasks/update', { taskId, inputResponses: { [key]: accept({ name }) } });
    await update('hero', 'Ada');
    const second = await untilTask(client, taskId, 'input_required');
    const [key] = Object.keys(second.inputRequests as object) as [string];
    expect(key).not.toBe('hero');
    await update('hero', 'Eve');
    await update(key, 'Bob');
    const { result } = await untilTask(client, taskId, 'completed');
    expect(text(result)).toBe('Bob');
  });

  // covers: tasks/rounds-come-first
  it('before a call has become a task are rounds of the call, and the task knows their answers', async () => {
    const own = createStudio();
    const booked: string[] = [];
    own.server.tool('cast', { task: { after: 200 } }, async (_, ctx) => {
      const hero = await ctx.elicit('Who is the hero?', NAME);
      const seat = await ctx.step('book', () => booked.push('a seat'));
      await new Promise(resolve => setTimeout(resolve, 400));
      const villain = await ctx.elicit('Who is the villain?', NAME);
      return JSON.stringify([hero, villain, seat]);
    });
    const client = await connectTo(own);
    const call = { name: 'cast', arguments: {} };
    const asked = await client.request('tools/call', call);
    expect(asked).toMatchObject({ resultType: 'input_required' });
    const [key] = Object.keys(asked.inputRequests as object) as [string];
    const { requestState } = asked;
    const inputResponses = { [key]: accept({ name: 'Ada' }) };
    const created = await client.request('tools/call', { ...call, requestState, inputResponses });
    expect(created.resultType).toBe('task');
    const taskId = created.taskId as string;
    const { inputRequests } = await untilTask(client, taskId, 'input_required');
    const [next] = Object.keys(inputRequests as object) as [string];
    await client.request('tasks/update', { taskId, inputResponses: { [next]: accept({ name: 'Bob' }) } });
    const { result } = await untilTask(client, taskId, 'completed');
    expect(text(result)).toBe(JSON.stringify([accept({ name: 'Ada' }), accept({ name: 'Bob' }), 1]));
    expect(booked).toEqual(['a seat']);
  });

  it('that differ from run to run end the task with the reason', async () => {
    const own = createStudio();
    let runs = 0;
    own.server.tool('cast', { task: 'always' }, async (_, ctx) => {
      await ctx.elicit(`Question ${++runs}?`, NAME);
      return 'done';
    });
    const client = await connectTo(own);
    const { taskId } = await startTask(client, 'cast');
    await untilTask(client, taskId, 'input_required');
    await client.request('tasks/update', { taskId, inputResponses: { q0: accept({ name: 'Ada' }) } });
    const { error, statusMessage } = await untilTask(client, taskId, 'failed');
    expect(error).toMatchObject({ code: ERROR.internal });
    expect(statusMessage).toContain('asked "Question 1?" in an earlier round, but now asks "Question 2?"');
  });

  it('are not asked if the client cannot answer them', async () => {
    const client = await connectTo(studio, { capabilities: { elicitation: undefined as never } });
    const { taskId } = await startTask(client, 'cast');
    const { error } = await untilTask(client, taskId, 'failed');
    expect(error).toMatchObject({ code: ERROR.missingCapability });
  });
});

describe('a task', () => {
  // covers: tasks/cancel-is-acknowledged, tasks/get-says-cancelled
  it('that is cancelled aborts the signal of its handler, and keeps that status', async () => {
    const studio = createStudio();
    const { opened: aborted, open } = gate<unknown>();
    studio.server.tool('render', { task: { after: 0 } }, async (_, ctx) => {
      await new Promise(resolve => ctx.signal.addEventListener('abort', resolve));
      open(ctx.signal.reason);
      return 'too late';
    });
    const client = await connectTo(studio);
    const { taskId } = await startTask(client, 'render');
    const acknowledged = await client.request('tasks/cancel', { taskId });
    const { _meta, ...members } = acknowledged;
    expect(members).toEqual({ resultType: 'complete' });
    expect(String(await aborted)).toContain('the task was cancelled');
    expect(await client.request('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
    await client.request('tasks/cancel', { taskId });
  });

  // covers: tasks/no-progress-on-listen-streams, tasks/get-says-working
  it('tells its progress in its status, and every change to those who listen', async () => {
    const studio = createStudio();
    const { opened, open } = gate();
    studio.server.tool('render', { task: { after: 0 } }, async (_, ctx) => {
      await opened;
      ctx.progress(1, { total: 3, message: 'scene 1' });
      const answer = await ctx.elicit('Go on?', z.object({ go: z.boolean() }));
      return answer.action;
    });
    const [ada, bob] = [await connectAs(studio, 'ada'), await connectAs(studio, 'bob')];
    const { taskId } = await startTask(ada, 'render');
    const filter = { notifications: { taskIds: [taskId, crypto.randomUUID()] } };
    void ada.request('subscriptions/listen', filter).catch(() => {});
    void bob.request('subscriptions/listen', filter).catch(() => {});
    const heard = (client: typeof ada) =>
      client.notifications.map(({ method, params }) => ({ method, params }));
    await vi.waitFor(() => expect(heard(ada)).toHaveLength(1));
    expect(heard(ada)[0]?.params).toMatchObject({ notifications: { taskIds: [taskId] } });
    await vi.waitFor(() => expect(heard(bob)).toHaveLength(1));
    expect(heard(bob)[0]?.params).toMatchObject({ notifications: { taskIds: [] } });
    open();
    const { inputRequests } = await untilTask(ada, taskId, 'input_required');
    const [key] = Object.keys(inputRequests as object) as [string];
    await ada.request('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
    await untilTask(ada, taskId, 'completed');
    await vi.waitFor(() => expect(heard(ada).at(-1)?.params).toMatchObject({ status: 'completed' }));
    const notices = heard(ada).slice(1);
    expect(notices.every(({ method }) => method === 'notifications/tasks')).toBe(true);
    const statuses = notices.map(({ params }) => params.status);
    // The handler runs again with the answer, and reports its progress again.
    expect(statuses.filter((status, at) => status !== statuses[at - 1])).toEqual([
      'working',
      'input_required',
      'working',
      'completed',
    ]);
    expect(notices[0]?.params).toMatchObject({ statusMessage: 'scene 1' });
    expect(notices[1]?.params).toHaveProperty('inputRequests');
    expect(text(notices.at(-1)?.params.result)).toBe('decline');
    expect(heard(bob)).toHaveLength(1);
  });

  it('fails if its result is above the limit, and says how to mend it', async () => {
    const studio = createStudio({ maxResultBytes: 1000 });
    studio.server.tool('render', { task: 'always' }, () => 'x'.repeat(1001));
    const client = await connectTo(studio);
    const { taskId } = await startTask(client, 'render');
    const { error } = await untilTask(client, taskId, 'failed');
    expect(error).toMatchObject({ code: ERROR.internal });
    expect(JSON.stringify(error)).toContain('more than the limit of 1000');
  });

  // covers: tasks/get-has-the-error, tasks/failures-have-a-message, tasks/errors-are-those-of-the-request
  // covers: tasks/failed-is-for-protocol-errors, tasks/results-are-those-of-the-request
  it('fails with an error of the protocol, and completes with a failure for the model', async () => {
    const studio = createStudio();
    studio.server.tool('break', { task: 'always' }, () => {
      throw new McpError(-32050, 'broken', { part: 'lens' });
    });
    studio.server.tool('fail', { task: 'always' }, () => {
      throw new Error('secret');
    });
    studio.server.tool('odd', { task: 'always' }, () => {
      throw new McpError(1, 'odd', { big: 1n });
    });
    const client = await connectTo(studio);
    const ended = async (name: string) => {
      const { taskId } = await startTask(client, name);
      return untilTask(client, taskId, 'failed', 'completed');
    };
    expect(await ended('break')).toMatchObject({
      statusMessage: 'broken',
      error: { message: 'broken', data: { part: 'lens' } },
    });
    expect(await ended('fail')).toMatchObject({
      status: 'completed',
      result: { isError: true, content: [{ text: 'tool "fail" failed' }] },
    });
    expect(await ended('odd')).toMatchObject({ status: 'failed', error: { code: ERROR.internal } });
  });

  it('passes the middleware of the server, and so do its questions', async () => {
    const studio = createStudio();
    const seen: string[] = [];
    studio.server.use({
      name: 'audit',
      request: async (call, next) => {
        seen.push(call.method);
        return next();
      },
      question: (asked, next) => {
        seen.push(asked.question.method);
        return next();
      },
    });
    studio.server.tool('cast', { task: 'always' }, async (_, ctx) => (await ctx.elicit('Who?', NAME)).action);
    const client = await connectTo(studio);
    const { taskId } = await startTask(client, 'cast');
    await untilTask(client, taskId, 'input_required');
    expect(seen.filter(name => name !== 'tasks/get')).toEqual([
      'tools/call',
      'tools/call',
      'elicitation/create',
    ]);
  });
});

describe('a task that is deferred', () => {
  it('is updated and completed by any process that has the token', async () => {
    const cluster = memoryCluster();
    const studio = createStudio({ cluster });
    const { opened: token, open } = gate<string>();
    studio.server.tool('render', { task: 'always' }, async (_, ctx) => {
      open((await ctx.task?.defer()) as string);
      return 'ignored';
    });
    const client = await connectTo(studio);
    const { taskId } = await startTask(client, 'render');
    expect(await updateTask(cluster, await token, 'half of it')).toBe(true);
    expect(await untilShown(client, taskId, task => task.statusMessage !== undefined)).toMatchObject({
      status: 'working',
      statusMessage: 'half of it',
    });
    expect(await completeTask(cluster, await token, 'the film')).toBe(true);
    const { result } = await untilTask(client, taskId, 'completed');
    expect(text(result)).toBe('the film');
    expect(await failTask(cluster, await token, 'too late')).toBe(false);
    await expect(completeTask(cluster, taskId, 'x')).rejects.toThrow(UsageError);
  });

  it('fails with a reason, also for a client that waits for its result', async () => {
    const cluster = memoryCluster();
    const studio = createStudio({ cluster });
    studio.server.tool('render', { task: 'auto' }, async (_, ctx) => {
      await failTask(cluster, (await ctx.task?.defer()) as string, 'the farm burnt down');
    });
    const client = await connectTo(studio);
    const { taskId } = await startTask(client, 'render');
    await untilTask(client, taskId, 'failed');
    for (const revision of ['2025-06-18', '2026-07-28']) {
      const waiting = await connectRaw(studio.server, { revision });
      await expect(waiting.request('tools/call', { name: 'render' })).rejects.toThrow('the farm burnt down');
    }
  });
});

describe('the option task of a tool', () => {
  it.each([true, 'sometimes', null, { after: -1 }, { after: 5, before: 9 }])(
    'is refused at once if it is %j',
    task => {
      const { server } = createStudio();
      expect(() => server.tool('render', { task: task as never }, () => 'done')).toThrow(
        'task of tool "render" must be "never", "auto", "always" or { after: milliseconds }',
      );
    },
  );

  it('is refused if the server has no tasks, unless there are to be none', () => {
    const server = new Server({ name: 'studio', version: '1.0.0' });
    server.tool('draw', { task: 'never' }, () => 'done');
    expect(() => server.tool('render', { task: 'auto' }, () => 'done')).toThrow(
      'task of tool "render" needs extensions: [tasks()] of tenon/tasks',
    );
  });
});

it('callers that are not authenticated may have maxTasks tasks together', async () => {
  const studio = createStudio({ maxTasks: 2 });
  studio.server.tool('draw', { task: 'always' }, () => 'drawn');
  await startTask(await connectTo(studio), 'draw');
  const client = await connectTo(studio);
  await startTask(client, 'draw');
  await expect(client.request('tools/call', { name: 'draw' })).rejects.toMatchObject({
    code: ERROR.busy,
    data: { limit: 2 },
  });
});
