import type { ConnectStatus, ServerChange, ServerDescription, TaskHandle } from 'tenon/client';
import type { SkillList } from 'tenon/skills/client';

/** The messages between the page and the process that serves it. Both sides import these types. */

/** What the page knows before it is connected. */
export interface PageState {
  /** The name of the target for people: a URL, a command, or the file that is served. */
  target: string;
  /** The URL of the server, if it is reached over HTTP: for commands that the user copies. */
  url?: string | undefined;
  /** The program of the server, if it is one that was started: for programs that the user copies. */
  program?: { readonly command: string; readonly args: readonly string[] } | undefined;
  /** The words that name the target for `tenon`, for commands that the user copies. */
  words: readonly string[];
  /** The revisions that can be chosen, newest first. */
  revisions: readonly string[];
  /** Whether the page shows a file that is reloaded when it is saved. */
  reloads: boolean;
  /** The port on this machine where the sandbox of apps is served. */
  sandboxPort: number;
}

/** A message on the wire, as the timeline shows it. */
export interface WireMessage {
  /** Milliseconds since 1970. */
  at: number;
  direction: 'sent' | 'received' | 'failed';
  message?: Record<string, unknown> | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  status?: number | undefined;
  problem?: string | undefined;
}

/** A question of a server that waits for the user. */
export interface PageQuestion {
  id: string;
  /** The call that asks, if that is known. */
  call?: string | undefined;
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  params: Record<string, unknown>;
}

/** A call that has become a task. */
export interface RunningTask {
  readonly call: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly startedAt: number;
  task: TaskHandle;
}

/** The user's answer to a question. Forms and pages are declined with a result, the others with `refused`. */
export type QuestionAnswer = { result: Record<string, unknown> } | { refused: true };

/** What the process tells the page. `connection` is the revision that was asked for, or `newest`. */
export type PageEvent =
  | { type: 'status'; connection: string; status: ConnectStatus }
  | { type: 'message'; connection: string; call?: string | undefined; traffic: WireMessage }
  | { type: 'progress'; call: string; progress: number; total?: number; message?: string }
  /** A call has become a task, or its task has changed. */
  | { type: 'task'; call: string; task: TaskHandle }
  /** A task that a page began which was closed or reloaded: one that is opened now shows it. */
  | { type: 'running-task'; connection: string; running: RunningTask }
  | { type: 'question'; connection: string; question: PageQuestion }
  | { type: 'question-closed'; id: string }
  | { type: 'changed'; connection: string; change: ServerChange }
  | { type: 'warning'; message: string }
  | { type: 'standard-error'; text: string }
  /** The server wants the user to sign in at this address, which only the user opens; without one, it is over. */
  | { type: 'sign-in'; address?: string | undefined }
  | { type: 'closed'; connection: string; reason: string }
  /** The file was reloaded, or could not be. */
  | { type: 'reloaded'; problem?: string | undefined };

/** A problem as the page shows it. */
export interface PageProblem {
  kind: string;
  message: string;
  code?: number | undefined;
  data?: unknown;
}

/** The commands of the page: what each takes and returns. */
export interface PageCommands {
  state: { takes: Record<string, never>; returns: PageState };
  connect: {
    takes: { connection: string };
    returns: { revision: string; server: ServerDescription };
  };
  /** Sends any request; `call` names it in events. */
  request: {
    takes: { connection: string; call: string; method: string; params: Record<string, unknown> };
    returns: Record<string, unknown>;
  };
  cancel: { takes: { call: string }; returns: Record<string, never> };
  /** Cancels a call that its page does not wait for any more, unless it has become a task. */
  abandon: { takes: { call: string }; returns: Record<string, never> };
  /** Waits for the result of a task that another page began. */
  follow: { takes: { call: string }; returns: Record<string, unknown> };
  /** Answers a question: with the result that the server gets, or with an error if the user refuses. */
  answer: { takes: { id: string; answer: QuestionAnswer }; returns: Record<string, never> };
  /** The skills of the server; none if it serves none. */
  skills: { takes: { connection: string }; returns: SkillList };
  /** A file of a skill, after it was checked. Of `SKILL.md`, the text without its frontmatter. */
  skillFile: {
    takes: { connection: string; uri: string; path: string };
    returns: { uri: string; mimeType?: string | undefined } & ({ text: string } | { blob: string });
  };
  /** Listens to changes of lists and of these resources, instead of those that this page named before. */
  watch: {
    takes: { connection: string; page: string; resources: string[] };
    returns: Record<string, never>;
  };
}

export type PageCommand = keyof PageCommands;

/** The response to a command. */
export type PageAnswer<C extends PageCommand> =
  | { value: PageCommands[C]['returns'] }
  | { problem: PageProblem };
