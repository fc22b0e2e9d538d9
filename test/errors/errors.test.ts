import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_KINDS, TenonError } from '../../src/base/errors.js';
import { entryPoints } from '../architecture/exports.js';
import { ROOT } from '../architecture/sources.js';
import { documentedErrors, exampleIn, runExample } from './examples.js';
import { SCENES } from './scenes.js';

/** A row of the table in docs/errors.md: kind, class, subpaths, when, what to do. */
interface Row {
  kind: string;
  name: string;
  subpaths: string[];
  more: string[];
}

const rows = readFileSync(`${ROOT}/docs/errors.md`, 'utf8')
  .split('\n')
  .filter(line => line.startsWith('| `') && line.split('|').length === 7)
  .map((line): Row => {
    const [kind = '', name = '', from = '', ...more] = line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim());
    return {
      kind: kind.replaceAll('`', ''),
      name: name.replaceAll('`', ''),
      subpaths:
        from === 'every entry'
          ? [...entryPoints().keys()].map(subpath => subpath.replace('.', 'tenon'))
          : [...from.matchAll(/`([^`]+)`/g)].map(([, subpath]) => subpath as string),
      more,
    };
  });
const errors = documentedErrors();

it('the kinds, the classes and the rows of docs/errors.md are the same', () => {
  expect(errors.map(({ kind }) => kind).sort()).toEqual([...ERROR_KINDS].sort());
  expect(rows.map(({ kind }) => kind)).toEqual([...ERROR_KINDS]);
  expect(rows.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(
    errors.map(({ kind, name }) => `${kind} ${name}`).sort(),
  );
});

describe.each(rows)('$name', ({ kind, name, subpaths, more }) => {
  it('can be imported from where docs/errors.md says, and is one class everywhere', async () => {
    const exporting = [...entryPoints()].map(async ([subpath, path]) => {
      const module = await import(`${ROOT}/${path}`);
      return [subpath.replace('.', 'tenon'), module[name], module.TenonError] as const;
    });
    const found = (await Promise.all(exporting)).filter(([, value]) => value !== undefined);
    expect(found.map(([subpath]) => subpath).sort()).toEqual([...subpaths].sort());
    expect(new Set(found.map(([, value]) => value)).size).toBe(1);
    for (const [subpath, value, base] of found) {
      expect(base, subpath).toBe(TenonError);
      expect(value.prototype, subpath).toBeInstanceOf(TenonError);
    }
  });

  it('is explained', () => {
    expect(more).toHaveLength(2);
    for (const cell of more) expect(cell.length).toBeGreaterThan(10);
  });

  it('comes in a real situation, and its example runs', async () => {
    const { comment } = errors.find(error => error.name === name) as { comment: string };
    const example = exampleIn(comment);
    expect(example, comment).toContain(name);
    const thrown = await SCENES[kind as keyof typeof SCENES](async scene => {
      const printed: string[] = [];
      return { printed, made: await runExample(example as string, scene ?? {}, printed) };
    });
    expect(thrown).toBeInstanceOf(TenonError);
    expect(thrown).toMatchObject({ name, kind });
    expect((thrown as Error).message.length).toBeGreaterThan(5);
  });
});
