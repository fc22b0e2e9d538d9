import type { Command } from 'commander';
import type { Cli } from './cli.js';

/** A command of `tenon`. Its file is loaded only when it is used. */
export interface CommandEntry {
  readonly name: string;
  /** One line for `tenon --help`. */
  readonly summary: string;
  /**
   * Where the target stands among the words of the command. If a program follows `--`, it takes that place. Commands
   * without a target leave this out.
   */
  readonly target?: 'first' | 'second' | 'last';
  /** Whether it needs the options of all other commands, too. */
  readonly needsAll?: boolean;
  /** Loads the function that adds arguments, options, examples and the action. */
  load(): Promise<(command: Command, cli: Cli) => void>;
}

/** All commands, in the order of `tenon --help`. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'make a new project with a server',
    load: async () => (await import('./commands/init.js')).defineInit,
  },
  {
    name: 'dev',
    summary: 'run a server file, reload it when it is saved, and show it on a page',
    load: async () => (await import('./commands/dev.js')).defineDev,
  },
  {
    name: 'serve',
    summary: 'run a server file in production',
    load: async () => (await import('./commands/serve.js')).defineServe,
  },
  {
    name: 'list',
    summary: 'list what a server offers, or the servers that hosts on this machine know',
    target: 'first',
    load: async () => (await import('./commands/list.js')).defineList,
  },
  {
    name: 'open',
    summary: 'show a server on a page in the browser',
    target: 'first',
    load: async () => (await import('./commands/open.js')).defineOpen,
  },
  {
    name: 'call',
    summary: 'call a tool, and answer what it asks',
    target: 'first',
    load: async () => (await import('./commands/call.js')).defineCall,
  },
  {
    name: 'read',
    summary: 'read a resource',
    target: 'first',
    load: async () => (await import('./commands/read.js')).defineRead,
  },
  {
    name: 'prompt',
    summary: 'show a prompt with its arguments filled in',
    target: 'first',
    load: async () => (await import('./commands/prompt.js')).definePrompt,
  },
  {
    name: 'complete',
    summary: 'ask a server to complete an argument of a prompt or a resource template',
    target: 'first',
    load: async () => (await import('./commands/complete.js')).defineComplete,
  },
  {
    name: 'tasks',
    summary: 'list, show and cancel the tasks of a server',
    target: 'second',
    load: async () => (await import('./commands/tasks.js')).defineTasks,
  },
  {
    name: 'skills',
    summary: 'list, read and check the skills of a server, or check a folder of skills',
    target: 'second',
    load: async () => (await import('./commands/skills.js')).defineSkills,
  },
  {
    name: 'listen',
    summary: 'show changes and log messages of a server while they come',
    target: 'first',
    load: async () => (await import('./commands/listen.js')).defineListen,
  },
  {
    name: 'doctor',
    summary: 'find out what is wrong with a server, and what to do',
    target: 'first',
    load: async () => (await import('./commands/doctor.js')).defineDoctor,
  },
  {
    name: 'trace',
    summary: 'stand between a client and a server, and show the messages while they pass',
    target: 'first',
    load: async () => (await import('./commands/trace.js')).defineTrace,
  },
  {
    name: 'replay',
    summary: 'play the client’s side of a recording again, and show what differs',
    target: 'last',
    load: async () => (await import('./commands/replay.js')).defineReplay,
  },
  {
    name: 'snapshot',
    summary: 'write down what a server offers, or check that it still does',
    target: 'first',
    load: async () => (await import('./commands/snapshot.js')).defineSnapshot,
  },
  {
    name: 'config',
    summary: 'print the snippet that adds a server to a host',
    target: 'first',
    load: async () => (await import('./commands/config.js')).defineConfig,
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands in a shell',
    needsAll: true,
    load: async () => (await import('./commands/completion.js')).defineCompletion,
  },
];
