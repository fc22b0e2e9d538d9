import { ConnectionError, connect } from 'tenon/client';
import { resumeTask, tasksClient } from 'tenon/tasks/client';

const NAMES = { 'Who is the hero?': 'Ada', 'Who is the villain?': 'Moriarty' };

/** The ways in which a client can call the tool. */
export const WAYS = [
  { name: 'a plain call on 2025-06-18', revision: '2025-06-18' },
  { name: 'a plain call on 2025-11-25', revision: '2025-11-25' },
  { name: 'a plain call on 2026-07-28', revision: '2026-07-28' },
  // Rounds have no state at the server, so a client that keeps the last answers can send their round again.
  { name: 'a plain call on 2026-07-28 round by round', revision: '2026-07-28', isByRound: true },
  { name: 'a task on 2025-11-25', revision: '2025-11-25', isTask: true },
  { name: 'a task on 2026-07-28', revision: '2026-07-28', isTask: true },
];

/** Opens a client for one way. */
export function open(target, way, events, options = {}) {
  return connect(target, {
    ...options,
    revision: way.revision,
    extensions: way.isTask ? [tasksClient({ minPollMs: 100, maxPollMs: 1000 })] : [],
    onElicit: form => answer(form, events),
  });
}

/** Calls the tool in one way, or goes on with what another client has saved. */
export async function callFilm(client, way, title, events, saved) {
  if (way.isByRound) return callByRound(client, title, events, saved);
  const onTask = way.isTask ? events.save : undefined;
  if (saved) return resumeTask(client, saved, { onTask });
  return client.callTool('film', { title }, { task: way.isTask, onTask });
}

async function callByRound(client, title, events, saved) {
  const params = { name: 'film', arguments: { title } };
  let outcome = saved ? await client.resume(...saved) : await client.begin('tools/call', params);
  while (outcome.held) {
    const { held } = outcome;
    const answers = Object.entries(held.questions).map(([key, { params }]) => [key, answer(params, events)]);
    const next = [held, Object.fromEntries(answers)];
    events.save(next);
    outcome = await client.resume(...next).catch(error => {
      if (!(error instanceof ConnectionError)) throw error;
      return client.resume(...next);
    });
  }
  return outcome.result;
}

function answer({ message }, events) {
  events.asked(message);
  return { action: 'accept', content: { name: NAMES[message] } };
}
