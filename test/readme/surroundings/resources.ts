import { deepEqual } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { isResourceNotFound, Server } from 'tenon';
import { connectTest, textOf } from 'tenon/testing';

export const server = new Server({ name: 'bistro', version: '1.0.0' });
export const count = (): number => 3;
const stored = new Map([['soup', 'Hot']]);
/** A change of a recipe tells the clients. */
export const recipes = {
  get: (name: string) => stored.get(name),
  keys: () => stored.keys(),
  set(name: string, recipe: string) {
    stored.set(name, recipe);
    server.resourceChanged(`dish://${name}`);
  },
};
const ALL = ['ada', 'bob', 'cy'].map((name, id) => ({ id, name }));
export const guests = {
  page: async (from: number, size: number, _user?: string) => ALL.slice(from, from + size),
};

writeFileSync('logo.png', 'a logo');

/** Reads what the page has registered. */
export async function check(): Promise<void> {
  const client = await connectTest(server);
  const text = async (uri: string) => textOf(await client.readResource(uri));
  deepEqual(await text('menu://today'), 'Soup, quiche, crêpes');
  deepEqual(await text('menu://monday/soup'), 'soup on monday');
  deepEqual(await text('dish://soup'), 'Cold');
  deepEqual(await text('bistro://hours'), '{"open":"18:00"}');
  const missing = await text('dish://none').catch(error => error);
  deepEqual(isResourceNotFound(missing), true);
  const escaping = await text('dish://..%2Fsecret').catch(error => error);
  deepEqual(isResourceNotFound(escaping), true);
  const { contents } = await client.readResource('bistro://logo');
  deepEqual('blob' in (contents[0] ?? {}), true);
  const listed = (await client.resources()).map(({ uri }) => uri);
  for (const uri of ['recipe://soup', 'guest://0', 'guest://1', 'guest://2'])
    deepEqual(listed.includes(uri), true, `${uri} in ${listed}`);
  const ref = { type: 'ref/resource', uri: 'wine://{color}' } as const;
  deepEqual((await client.complete(ref, { name: 'color', value: 'r' })).values, ['red', 'rosé']);
}
