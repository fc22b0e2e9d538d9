import type { Page } from 'playwright-core';
import { Server } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { findBarriers, useBrowser } from './browser.js';
import { openPage } from './open-page.js';

const tabs = useBrowser();

describe('a form', () => {
  it('has fields for objects, lists, choices, unions, defaults and maps, in step with the JSON', async () => {
    const page = await open(createServer(), 'plan');
    await page.getByRole('textbox', { name: 'title' }).fill('Feast');
    await page.getByRole('textbox', { name: 'city' }).fill('Lyon');
    await page.getByRole('button', { name: 'Add an entry' }).click();
    await page.getByRole('textbox', { name: 'courses 1' }).fill('soup');
    await page.getByRole('button', { name: 'Add an entry' }).click();
    await page.getByRole('textbox', { name: 'courses 2' }).fill('bread');
    await page.getByRole('button', { name: 'Move courses 2 up' }).click();
    await page.getByRole('combobox', { name: 'Kind of payment' }).selectOption('card');
    await page.getByRole('textbox', { name: 'number' }).fill('4242');
    await page.getByRole('checkbox', { name: 'nuts' }).check();
    await page.getByRole('textbox', { name: 'Name of a new entry' }).fill('wine');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('spinbutton', { name: 'wine' }).fill('3');
    expect(await findBarriers(page)).toEqual([]);

    const json = page.getByRole('textbox', { name: 'The same values as JSON' });
    const wanted = {
      title: 'Feast',
      place: { city: 'Lyon' },
      courses: ['bread', 'soup'],
      payment: { type: 'card', number: '4242' },
      allergies: ['nuts'],
      seats: 4,
      bottles: { wine: 3 },
    };
    expect(JSON.parse(await json.inputValue())).toEqual(wanted);

    await json.fill(JSON.stringify({ ...wanted, title: 'Banquet', payment: { type: 'cash' } }));
    expect(await page.getByRole('textbox', { name: 'title' }).inputValue()).toBe('Banquet');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('planned Banquet in Lyon, cash').waitFor();
  });

  it('decides nothing for the user, and says what each value has to be', async () => {
    const page = await open(createServer(), 'decide');
    const yes = page.getByRole('group', { name: 'agree' }).getByRole('radio', { name: 'Yes' });
    const no = page.getByRole('group', { name: 'agree' }).getByRole('radio', { name: 'No', exact: true });
    await yes.waitFor();
    expect(await yes.isChecked()).toBe(false);
    expect(await no.isChecked()).toBe(false);
    const seats = page.getByRole('spinbutton', { name: 'seats' });
    expect(await seats.evaluate(describedBy)).toBe('whole number, 2 to 20');
    await page.getByText('3 to 8 characters, pattern ^[a-z]+$').waitFor();
    await page.getByText('1 to 3 entries').waitFor();

    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('agree is required').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await no.check();
    await seats.fill('21');
    await page.getByRole('textbox', { name: 'code' }).fill('AB');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('seats must be at most 20').waitFor();
    await page.getByText('code needs at least 3 characters').waitFor();
    await page.getByText('courses needs at least 1 entry').waitFor();
    await seats.fill('20');
    await page.getByRole('textbox', { name: 'code' }).fill('abc');
    await page.getByRole('button', { name: 'Add an entry' }).click();
    await page.getByRole('textbox', { name: 'courses 1' }).fill('soup');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('decided no for 20').waitFor();
  });

  it('opens a schema that contains itself on demand', async () => {
    const page = await open(createServer(), 'tree');
    await page.getByRole('textbox', { name: 'name' }).fill('root');
    await page.getByRole('button', { name: 'Add child' }).click();
    await page.getByRole('textbox', { name: 'name' }).nth(1).fill('leaf');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('root > leaf').waitFor();
  });

  it('stays usable with ten thousand tools', async () => {
    const server = new Server({ name: 'many', version: '1.0.0' });
    for (let at = 0; at < 10_000; at++) server.tool(`tool_${at}`, {}, () => `this was ${at}`);
    const page = await open(server);
    await page.getByText('10,000', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('tool_7321');
    await page.getByRole('link', { name: 'tool_7321' }).click();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('this was 7321').waitFor();
  });
});

/** The texts that describe an input to screen readers. */
function describedBy(input: unknown): string {
  const { document } = globalThis as unknown as {
    document: { getElementById(id: string): { textContent: string } };
  };
  const ids = (input as { getAttribute(name: string): string }).getAttribute('aria-describedby').split(' ');
  return ids.map(id => document.getElementById(id).textContent).join(' ');
}

function createServer(): Server {
  const server = new Server({ name: 'planner', version: '1.0.0' });
  const plan = z.object({
    title: z.string().min(3),
    place: z.object({ city: z.string(), street: z.string().optional() }),
    courses: z.array(z.string()),
    payment: z.discriminatedUnion('type', [
      z.object({ type: z.literal('cash') }),
      z.object({ type: z.literal('card'), number: z.string() }),
    ]),
    allergies: z.array(z.enum(['nuts', 'milk'])).optional(),
    seats: z.int().default(4),
    bottles: z.record(z.string(), z.number()).optional(),
  });
  server.tool('plan', { input: plan }, ({ title, place, payment }) => {
    return `planned ${title} in ${place.city}, ${payment.type}`;
  });
  const decide = z.object({
    agree: z.boolean(),
    seats: z.int().min(2).max(20),
    code: z
      .string()
      .min(3)
      .max(8)
      .regex(/^[a-z]+$/),
    courses: z.array(z.string()).min(1).max(3),
  });
  server.tool(
    'decide',
    { input: decide },
    ({ agree, seats }) => `decided ${agree ? 'yes' : 'no'} for ${seats}`,
  );
  interface Node {
    name: string;
    child?: Node | undefined;
  }
  const node: z.ZodType<Node> = z.object({
    name: z.string(),
    get child() {
      return node.optional();
    },
  });
  server.tool('tree', { input: node as z.ZodType<Node & object> }, ({ name, child }) => {
    return [name, child?.name].filter(Boolean).join(' > ');
  });
  return server;
}

async function open(server: Server, tool?: string): Promise<Page> {
  const served = await openPage(server);
  onTestFinished(() => served.close());
  return tabs.open(tool === undefined ? served.address : `${served.address}&tool=${tool}`);
}
