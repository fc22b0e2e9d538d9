import { format } from 'node:util';
import * as z from 'zod';
import * as appsHost from '../../src/client/apps/index.js';
import * as tasksClient from '../../src/client/tasks/index.js';
import * as accessClient from '../../src/node/client/auth/index.js';
import * as client from '../../src/node/client/index.js';
import * as skillsClient from '../../src/node/client/skills/index.js';
import * as node from '../../src/node/index.js';
import * as accessServer from '../../src/server/auth/index.js';
import * as server from '../../src/server/index.js';
import { readSources } from '../architecture/sources.js';
import { runSnippet } from '../readme/snippets.js';

/** What the sources say of a class of errors. */
export interface DocumentedError {
  name: string;
  kind: string;
  /** The doc comment without its stars. */
  comment: string;
}

/** Every class of errors that has a kind. */
export function documentedErrors(): DocumentedError[] {
  return readSources()
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ text }) => [...text.matchAll(CLASS)])
    .map(([, comment = '', name = '', kind = '']) => ({
      name,
      kind,
      comment: comment.replace(/^ \* ?/gm, ''),
    }));
}

/** A doc comment, the class below it, and the kind in the class. */
const CLASS =
  /\/\*\*\n((?: \*[^\n]*\n)*?) \*\/\nexport class (\w+) extends \w+ \{\n(?:(?!\n\}).)*?readonly kind(?:: ErrorKind)? = '([\w-]+)'/gs;

/** The code of the example in a doc comment. */
export function exampleIn(comment: string): string | undefined {
  return /^@example\n(.*?)(?=^@|$(?![\s\S]))/ms.exec(comment)?.[1];
}

/** Runs an example with what users can import and what the scene adds; `returned` names what to hand back of it. */
export async function runExample(
  code: string,
  scene: Readonly<Record<string, unknown>>,
  printed: string[] = [],
): Promise<Record<string, unknown>> {
  const made: Record<string, unknown> = {};
  const print = (...values: unknown[]) => printed.push(format(...values));
  const keep = [...code.matchAll(/^const (\w+) = /gm)]
    .map(([, name]) => `__made.${name} = ${name};`)
    .join('\n');
  await runSnippet(`${code}\n${keep}`, {
    ...server,
    ...accessServer,
    ...node,
    ...client,
    ...accessClient,
    ...skillsClient,
    ...tasksClient,
    ...appsHost,
    z,
    ...scene,
    console: { error: print, log: print },
    __made: made,
  });
  return made;
}
