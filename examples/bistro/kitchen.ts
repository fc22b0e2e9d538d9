import { setTimeout as delay } from 'node:timers/promises';
import type { Context, Server } from 'tenon';
import { z } from 'zod';
import { recordBell } from './bell.ts';
import { type Dish, getDish, type House, type Order } from './house.ts';
import { icon } from './icon.ts';

export interface Kitchen {
  /** Makes a dish while the client watches. A client that cancels stops the cooking. */
  cook(dish: Dish, ctx: Context): Promise<string>;
}

const STEP_MS = 100;

/** The kitchen, its bell, and its orders as a resource that changes while the kitchen works. */
export function addKitchen(server: Server, house: House): Kitchen {
  const orders = server.resource(
    'bistro://orders',
    {
      name: 'orders',
      title: 'Orders',
      description: 'What the kitchen was asked for, and how far it is. Subscribe to see it change.',
      mimeType: 'application/json',
      icons: [icon('🧾')],
    },
    () => JSON.stringify(house.orders),
  );

  const finish = (order: Order, state: Order['state']) => {
    order.state = state;
    orders.changed();
  };

  async function cook(dish: Dish, ctx: Context): Promise<string> {
    const order: Order = { id: house.orders.length + 1, dish: dish.name, state: 'cooking' };
    house.orders.push(order);
    orders.changed();
    ctx.log.info(`order ${order.id}: ${dish.name}`, 'kitchen');
    try {
      for (const [done, step] of dish.steps.entries()) {
        ctx.progress(done, { total: dish.steps.length, message: step });
        ctx.log.debug({ order: order.id, step }, 'kitchen');
        await delay(STEP_MS, undefined, { signal: ctx.signal });
      }
    } catch (cancelled) {
      finish(order, 'cancelled');
      throw cancelled;
    }
    finish(order, 'served');
    return `Order ${order.id} is served: ${dish.name}. Bon appétit!`;
  }

  server.tool(
    'cook',
    {
      title: 'Cook a dish',
      description: 'Has the kitchen make a dish, and tells how far it is',
      input: z.object({ dish: z.string().describe('A dish from any menu') }),
      annotations: { destructiveHint: false, openWorldHint: false },
      icons: [icon('🍳')],
    },
    ({ dish }, ctx) => cook(getDish(house, dish), ctx),
  );

  server.tool(
    'ring_bell',
    {
      title: 'Ring the bell',
      description: 'The sound of a dish that is ready',
      annotations: { readOnlyHint: true, openWorldHint: false },
      icons: [icon('🔔')],
    },
    () => ({ type: 'audio', data: Buffer.from(recordBell()).toString('base64'), mimeType: 'audio/wav' }),
  );

  return { cook };
}
