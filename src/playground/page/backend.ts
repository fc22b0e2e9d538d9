import type { PageAnswer, PageCommand, PageCommands, PageEvent, PageProblem } from '../api.js';
import { takeKey } from './address.js';

const key = takeKey();
const RETRY_MS = 1000;

/** A command that failed, as the process described it. */
export class CommandFailed extends Error {
  constructor(readonly problem: PageProblem) {
    super(problem.message);
  }
}

/** Whether the page was opened with its secret. */
export const hasKey = key !== undefined;

/** Has the process do something. Rejects with `CommandFailed`. */
export async function command<C extends PageCommand>(
  name: C,
  given: PageCommands[C]['takes'],
): Promise<PageCommands[C]['returns']> {
  const response = await post(name, given);
  if (!response.ok) throw new CommandFailed({ kind: 'page', message: (await response.text()).trim() });
  const answer = (await response.json()) as PageAnswer<C>;
  if ('problem' in answer) throw new CommandFailed(answer.problem);
  return answer.value;
}

/** What to show for anything that a command threw. */
export function problemOf(error: unknown): PageProblem {
  if (error instanceof CommandFailed) return error.problem;
  return { kind: 'unexpected', message: error instanceof Error ? error.message : String(error) };
}

/** Passes on the events of the process for as long as the page is open. `online` tells whether they arrive. */
export async function listen(
  onEvent: (event: PageEvent) => void,
  online: (is: boolean) => void,
): Promise<never> {
  for (;;) {
    try {
      await readEvents(onEvent, online);
    } catch {
      // The process ended, or the machine slept. The loop tries again.
    }
    online(false);
    await new Promise(resolve => setTimeout(resolve, RETRY_MS));
  }
}

async function post(name: string, given: object): Promise<Response> {
  try {
    return await fetch(`api/${name}`, { method: 'POST', headers: headers(), body: JSON.stringify(given) });
  } catch {
    const message = 'The process behind this page does not answer. Start it again in its terminal.';
    throw new CommandFailed({ kind: 'page', message });
  }
}

async function readEvents(onEvent: (event: PageEvent) => void, online: (is: boolean) => void): Promise<void> {
  const response = await fetch('api/events', { headers: headers() });
  if (!response.ok || !response.body) return;
  online(true);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onEvent(JSON.parse(line));
  }
}

function headers(): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}
