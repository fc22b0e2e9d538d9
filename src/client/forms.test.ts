import { describe, expect, it } from 'vitest';
import { compileUntrustedForm } from './forms.js';

function form(field: object): object {
  return { type: 'object', properties: { field } };
}

/** Whether the second of two equal forms was not read again. */
async function isKept(text: string): Promise<boolean> {
  const first = await compileUntrustedForm(JSON.parse(text));
  return first === (await compileUntrustedForm(JSON.parse(text)));
}

describe('forms that servers ask again and again', () => {
  it('are read once', async () => {
    expect(await isKept(JSON.stringify(form({ type: 'string', enum: ['S', 'M'], title: 'Size' })))).toBe(
      true,
    );
  });

  it('are read each time if they take much to keep', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`n${at}`, {}]));
    for (const field of [
      { type: 'string', pattern: 'a{1997}' },
      { type: 'object', patternProperties: { a: {} } },
      { type: 'string', title: 'x'.repeat(3000) },
      { type: 'object', properties: many },
    ]) {
      expect(await isKept(JSON.stringify(form(field)))).toBe(false);
    }
  });

  it('are never taken for others that only look like them as texts', async () => {
    const checks = (text: string) =>
      compileUntrustedForm(JSON.parse(`{"properties":{"n":{"enum":[${text}]}}}`));
    const [large, negative, nothing] = [await checks('1e999'), await checks('-1e999'), await checks('null')];
    expect(nothing.check({ n: null })).toBeUndefined();
    expect(nothing.check({ n: Number.POSITIVE_INFINITY })).toBeDefined();
    expect(large.check({ n: null })).toBeDefined();
    expect(negative.check({ n: Number.POSITIVE_INFINITY })).toBeDefined();
  });

  it('are checked with their formats', async () => {
    const { check } = await compileUntrustedForm(form({ type: 'string', format: 'date' }));
    expect(check({ field: '2026-02-28' })).toBeUndefined();
    expect(check({ field: '2026-02-30' })).toEqual({ problem: 'field must be a date, as in YYYY-MM-DD' });
  });

  it('are kept for as long as they are used, while others come and go', async () => {
    const used = form({ type: 'boolean' });
    const first = await compileUntrustedForm(used);
    for (let at = 0; at < 300; at++) {
      await compileUntrustedForm(form({ type: 'number', maximum: at }));
      expect(await compileUntrustedForm(used)).toBe(first);
    }
  });
});
