import { expect, it, onTestFinished } from 'vitest';
import { tasksClient } from '../../src/client/tasks/index.js';
import { connectAll } from '../../src/node/client/index.js';
import { serveRaw } from '../client-faults/connected.js';
import { coreTask, DONE, QUICK, results, task, withCoreTasks, withExtension } from './raw-tasks.js';

it('one extension follows the tasks of several servers, each in the words of its revision', async () => {
  const core = await serveRaw(
    withCoreTasks({ 'tasks/get': results(coreTask('completed')), 'tasks/result': ask => ask.result(DONE) }),
  );
  const modern = await serveRaw(withExtension({ 'tasks/get': results(task('completed', { result: DONE })) }));
  const told: string[] = [];
  const onTask = ({ status }: { status: string }, { server }: { server: string }) => {
    told.push(`${server} ${status}`);
  };
  const group = await connectAll(
    { core: core.url, modern: modern.url },
    { extensions: [tasksClient({ ...QUICK, onTask })], onWarning: () => {} },
  );
  onTestFinished(() => group.close());
  const [one, other] = await Promise.all([
    group.callTool('core__required'),
    group.callTool('modern__render'),
  ]);
  expect([one, other]).toEqual([DONE, DONE]);
  expect(told.sort()).toEqual(['core completed', 'core working', 'modern completed', 'modern working']);
});
