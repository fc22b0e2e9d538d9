import type { ClientAuth } from '../../../../src/client/http/access.js';
import type { Library, Mutation } from './mutants.js';
import { World } from './world.js';

/** What came of an attack: `works`, the problem of an `AccessError`, or the name of another error. */
export type Outcome = string;

export interface Attack {
  /** What is done, as a sentence. */
  readonly name: string;
  /** How the parties lie. */
  readonly lies?: (world: World) => void;
  /** How access is got; by signing in if not set. */
  readonly auth?: (library: Library, world: World) => ClientAuth;
  /** What the client does; if not set, it connects and asks for something. */
  readonly act?: (library: Library, world: World, auth: Attack['auth']) => Promise<unknown>;
  readonly outcome: Outcome;
  /** What else is true. */
  readonly check?: (world: World) => boolean;
  /** What takes the defence away. */
  readonly mutations: readonly Mutation[];
  /** What comes of it then; it `works`, if nothing else is said. A leak is success as well. */
  readonly undefended?: Outcome | ((world: World, outcome: Outcome) => boolean);
}

export interface Run {
  readonly outcome: Outcome;
  readonly error: unknown;
  readonly leaks: readonly string[];
  readonly isAsExpected: boolean;
  readonly isUndefended: boolean;
}

/** Lets an attack happen. */
export async function run(attack: Attack, library: Library): Promise<Run> {
  const world = await new World().start();
  try {
    attack.lies?.(world);
    const act = attack.act ?? connectAndAsk;
    let error: unknown;
    const outcome = await act(library, world, attack.auth).then(
      () => 'works',
      thrown => {
        error = thrown;
        return outcomeOf(thrown);
      },
    );
    const leaks = world.leaks();
    const { undefended = 'works' } = attack;
    return {
      outcome,
      error,
      leaks,
      isAsExpected: outcome === attack.outcome && leaks.length === 0 && (attack.check?.(world) ?? true),
      isUndefended:
        leaks.length > 0 ||
        (typeof undefended === 'string' ? outcome === undefended : undefended(world, outcome)),
    };
  } finally {
    await world.stop();
  }
}

export async function connectAndAsk(library: Library, world: World, auth: Attack['auth']): Promise<void> {
  await ask(library, world, auth?.(library, world) ?? library.signIn(world.signInOptions));
}

/** Connects to a server and asks it for something. */
export async function ask(
  library: Library,
  world: World,
  auth: ClientAuth,
  url = world.serverUrl,
): Promise<void> {
  const onWarning = (warning: string) => void world.warnings.push(warning);
  const client = await library.connect(url, { auth, cache: false, onWarning });
  try {
    await client.listTools();
  } finally {
    await client.close();
  }
}

/** What must not be lost is lost. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

export function outcomeOf(thrown: unknown): Outcome {
  const { problem, name } = thrown as { problem?: string; name: string };
  return name === 'SignInRequired' ? name : (problem ?? name);
}
