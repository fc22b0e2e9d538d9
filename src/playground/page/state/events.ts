import type { ConnectStatus } from 'tenon/client';
import type { PageEvent } from '../../api.js';
import { noteActivity } from './activity.js';
import { loadCatalog, loadCatalogs } from './catalog.js';
import { noteClosed, noteStatus } from './connections.js';
import { noteAnswered, noteQuestion } from './questions.js';
import { noteReload } from './reload.js';
import { adopt, isKnown, noteMessage, noteProgress, noteTask } from './runs.js';
import { noteSignIn } from './sign-in.js';
import { noteUpdate } from './watching.js';

/** Puts an event of the process where the page shows it. */
export function receive(event: PageEvent): void {
  const at = Date.now();
  switch (event.type) {
    case 'status':
      return noteStatus(event.connection, describeStatus(event.status), event.status.kind === 'connected');
    case 'message':
      if (event.call !== undefined && isKnown(event.call)) return noteMessage(event.call, event.traffic);
      return noteActivity({ type: 'message', at, connection: event.connection, traffic: event.traffic });
    case 'progress':
      return noteProgress(event.call, event);
    case 'task':
      return noteTask(event.call, event.task);
    case 'running-task':
      return void adopt(event.connection, event.running);
    case 'question':
      return noteQuestion(event.connection, event.question);
    case 'question-closed':
      return noteAnswered(event.id);
    case 'changed':
      return noteChange(event);
    case 'warning':
      return noteActivity({ type: 'warning', at, text: event.message });
    case 'standard-error':
      return noteActivity({ type: 'standard-error', at, text: event.text });
    case 'sign-in':
      return void noteSignIn(event.address);
    case 'closed':
      return noteClosed(event.connection, event.reason);
    case 'reloaded':
      // A page that does not listen yet would miss that the lists have changed.
      if (event.problem === undefined) void loadCatalogs();
      return noteReload(event.problem);
  }
}

function noteChange({ connection, change }: Extract<PageEvent, { type: 'changed' }>): void {
  switch (change.kind) {
    case 'tools':
      return void loadCatalog(connection, ['tools']);
    case 'prompts':
      return void loadCatalog(connection, ['prompts']);
    case 'resources':
      return void loadCatalog(connection, ['resources', 'templates']);
    case 'resource':
      return noteUpdate(change.uri);
  }
}

function describeStatus(status: ConnectStatus): string {
  switch (status.kind) {
    case 'starting':
      return 'Starting';
    case 'waiting':
      return `No answer yet, after ${Math.round(status.waitedMs / 1000)} s`;
    case 'falling-back':
      return `Trying ${status.to}: ${status.reason}`;
    case 'restarting':
      return `Starting the program again: ${status.reason}`;
    case 'connected':
      return 'Connected';
    default:
      return 'Connecting';
  }
}
