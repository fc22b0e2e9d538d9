import { deepEqual } from 'node:assert/strict';
import { Server } from 'tenon';
import { connectTest, textOf } from 'tenon/testing';
import { z } from 'zod';

export { z };

export const server = new Server({ name: 'bistro', version: '1.0.0' });
export const bistro = {
  hold: (restaurant: string, guests: number) => ({ id: `${restaurant}-${guests}`, table: 4 }),
};
export const inserted: string[] = [];
export const orders = { insert: async (item: string) => inserted.push(item) };
export const pay = (euros: number): string => `Paid ${euros} €`;
export const tokens = new Set<string>();
export const redis = { setIfNew: async (_id: string, _expiresAt: number) => true };

/** Calls what the page has registered, on both kinds of revisions. */
export async function check(): Promise<void> {
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const asked = (elicit: object[]) => connectTest(server, { revision, answers: { elicit } as never });
    const reserve = await asked([{ guests: 2 }, { ok: true }]);
    deepEqual(textOf(await reserve.callTool('reserve', { restaurant: 'Nous' })), 'Reserved: Nous-2');
    const survey = await asked([{ stars: 4, dish: 'soup' }]);
    deepEqual(textOf(await survey.callTool('survey')), 'Thanks for 4 stars');
    const tip = await asked([{ percent: 10 }]);
    deepEqual(textOf(await tip.callTool('tip')), '10 %');
    const silent = await connectTest(server, { revision });
    deepEqual(textOf(await silent.callTool('tip')), 'Call this tool again with `percent`.');
    const paying = await asked([{ ok: true }]);
    deepEqual(textOf(await paying.callTool('pay')), 'Paid 12 €');
    inserted.length = 0;
    const sending = await asked([{ ok: true }, { ok: true }]);
    await sending.callTool('send', { item: 'soup' });
    deepEqual(inserted.length, revision === '2026-07-28' ? 2 : 1);
    inserted.length = 0;
    await sending.callTool('send_once', { item: 'soup' });
    deepEqual(inserted.length, 1);
  }
}
