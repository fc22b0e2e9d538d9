import { expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../client-faults/raw-server.js';
import { listenRaw, type RawServer } from '../client-faults/raw-server.js';
import { coreTask, DONE, TASK_ID, task, withCoreTasks, withExtension } from '../tasks-client/raw-tasks.js';
import { findBarriers, useBrowser } from './browser.js';
import { lane, timeline } from './locate.js';
import { openPage } from './open-page.js';

const tabs = useBrowser();

const FORM = {
  method: 'elicitation/create',
  params: {
    message: 'Which colour?',
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
  },
};

async function open(answer: Answer, tool: string) {
  const server: RawServer = await listenRaw(answer);
  onTestFinished(() => server.close());
  const served = await openPage(server.url);
  onTestFinished(() => served.close());
  const page = await tabs.open(served.address);
  await page.getByRole('link', { name: tool, exact: true }).click();
  return { page, server };
}

it('a call that becomes a task shows its state, lives through a reload, asks, and is drawn in the timeline', async () => {
  const updated = () => server.of('tasks/update').length > 0;
  let isAsking = false;
  const { page, server } = await open(
    withExtension({
      'tasks/get': ask => {
        if (updated()) return ask.result(task('completed', { result: DONE }));
        ask.result(
          isAsking
            ? task('input_required', { inputRequests: { colour: FORM } })
            : task('working', { statusMessage: 'mixing colours' }),
        );
      },
    }),
    'render',
  );
  await page.getByRole('button', { name: 'Run' }).click();
  await lane(page).getByText('mixing colours').waitFor();
  expect(await lane(page).locator('.task-state').textContent()).toContain(TASK_ID);
  expect(await findBarriers(page)).toEqual([]);
  await timeline(page, '2026-07-28').getByText('task: working').first().waitFor();

  await page.reload();
  await lane(page).getByText('mixing colours').waitFor();
  expect(server.of('tools/call')).toHaveLength(1);
  expect(server.of('tasks/cancel')).toEqual([]);

  isAsking = true;
  await lane(page).getByText('Which colour?').waitFor();
  await lane(page)
    .getByRole('textbox', { name: /colour/i })
    .fill('blue');
  await lane(page).getByRole('button', { name: 'Send the answer' }).click();
  await lane(page).getByText('done', { exact: true }).waitFor();
  await timeline(page, '2026-07-28').getByText('task: completed').waitFor();
  expect(server.of('tasks/update')[0]?.message.params.inputResponses).toEqual({
    colour: { action: 'accept', content: { colour: 'blue' } },
  });
});

it('a task of 2025-11-25 is cancelled with the button, also after a reload', async () => {
  const { page, server } = await open(
    withCoreTasks({ 'tasks/get': ask => ask.result(coreTask('working', { statusMessage: 'baking' })) }),
    'required',
  );
  await page.getByRole('button', { name: 'Run' }).click();
  await lane(page).getByText('baking').waitFor();
  await page.reload();
  await lane(page).getByText('baking').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await lane(page).locator('[data-state=cancelled]').waitFor();
  expect(server.of('tasks/cancel')).toHaveLength(1);
});
