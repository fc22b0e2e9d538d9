import { UsageError } from '../base/errors.js';
import type { Awaitable } from '../base/settle.js';
import type { ToolTypes } from '../client/index.js';
import type { Servable } from '../protocol/service.js';
import { REVISIONS } from '../revisions/index.js';
import { connectTest, type TestClient, type TestOptions } from './connect.js';

/** `test` or `it` of vitest, jest, node:test, Bun or Deno, or variants such as `test.only`. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown;

/** `connectTest` with the current revision. */
export type ConnectRevision = <Tools extends ToolTypes = ToolTypes>(
  server: Servable,
  options?: Omit<TestOptions, 'revision'>,
) => Promise<TestClient<Tools>>;

/** A test that runs on one revision. */
export type RevisionTest = (connect: ConnectRevision, revision: string) => Awaitable<void>;

/** Options of `eachRevision`. */
export interface EachRevisionOptions {
  /** Skips older revisions: forms, for example, came with `2025-06-18`. */
  since?: string | undefined;
}

/**
 * Runs a test once for every revision of the protocol. The clients of a test are closed when it ends.
 *
 * @example
 * eachRevision(test, 'greets by name', async connect => {
 *   const client = await connect(server);
 *   const { content } = await client.callTool('greet', { name: 'Ada' });
 *   expect(content).toEqual([{ type: 'text', text: 'Hello Ada' }]);
 * });
 */
export function eachRevision(test: RegisterTest, name: string, run: RevisionTest): void;
export function eachRevision(
  test: RegisterTest,
  name: string,
  options: EachRevisionOptions,
  run: RevisionTest,
): void;
export function eachRevision(
  test: RegisterTest,
  name: string,
  ...rest: [RevisionTest] | [EachRevisionOptions, RevisionTest]
): void {
  const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest;
  if (typeof test !== 'function' || typeof run !== 'function')
    throw new UsageError(
      'eachRevision needs a test function, a name and a function: eachRevision(test, "greets", async connect => { … })',
    );
  for (const revision of revisionsSince(options.since)) {
    // A function without parameters: some runners treat a first parameter as a callback that ends the test.
    test(`${name} (${revision})`, () => runOn(revision, run));
  }
}

function revisionsSince(since: string | undefined): string[] {
  const names = REVISIONS.map(({ name }) => name);
  if (since === undefined) return names;
  if (!names.includes(since))
    throw new UsageError(`there is no revision ${since}; known are ${names.join(', ')}`);
  return names.slice(0, names.indexOf(since) + 1);
}

async function runOn(revision: string, run: RevisionTest): Promise<void> {
  const clients: TestClient[] = [];
  const connect = async <Tools extends ToolTypes>(server: Servable, options?: TestOptions) => {
    const client = await connectTest<Tools>(server, { ...options, revision });
    clients.push(client);
    return client;
  };
  try {
    await run(connect, revision);
  } finally {
    await Promise.all(clients.map(client => client.close()));
  }
}
