import { ToolError } from 'tenon';

/** The data of the bistro: its menus, tables and orders. It is kept in memory, one house for each server. */
export interface House {
  readonly menus: ReadonlyMap<Day, Dish[]>;
  readonly tables: readonly Table[];
  readonly orders: Order[];
}

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Day = (typeof DAYS)[number];

export interface Dish {
  name: string;
  steps: string[];
  /** Red, green and blue, for its picture. */
  colour: [number, number, number];
}

export interface Table {
  id: string;
  seats: number;
  reservedFor?: string;
}

export interface Order {
  id: number;
  dish: string;
  state: 'cooking' | 'served' | 'cancelled';
}

export function createHouse(): House {
  const weekday = [DISHES.soup, DISHES.ratatouille];
  const weekend = [DISHES.quiche, DISHES.ratatouille, DISHES.crepe];
  return {
    menus: new Map<Day, Dish[]>([
      ['monday', [...weekday]],
      ['tuesday', [...weekday]],
      ['wednesday', [...weekday]],
      ['thursday', [...weekday]],
      ['friday', [...weekday, DISHES.bouillabaisse]],
      ['saturday', [...weekend]],
      ['sunday', [...weekend]],
    ]),
    tables: [
      { id: 'window', seats: 2 },
      { id: 'fireplace', seats: 4 },
      { id: 'terrace', seats: 8 },
    ],
    orders: [],
  };
}

export function allDishes(house: House): Dish[] {
  return [...new Set([...house.menus.values()].flat())];
}

export function findDish(house: House, name: string): Dish | undefined {
  return allDishes(house).find(dish => dish.name === name.toLowerCase());
}

/** The dish of that name. If there is none, the error tells the model what to do. */
export function getDish(house: House, name: string): Dish {
  const dish = findDish(house, name);
  if (!dish) throw new ToolError(`"${name}" is on no menu. Read menu://{day} to see what is.`);
  return dish;
}

/** The names of the dishes that begin with the typed text. */
export function suggest(dishes: readonly Dish[], typed: string): string[] {
  return dishes.map(dish => dish.name).filter(name => name.startsWith(typed.toLowerCase()));
}

export function isDay(text: string): text is Day {
  return DAYS.includes(text as Day);
}

export function dayAfter(day: Day): Day {
  return DAYS[(DAYS.indexOf(day) + 1) % DAYS.length] as Day;
}

const DISHES = {
  soup: { name: 'onion soup', steps: ['slice the onions', 'simmer', 'gratinate'], colour: [201, 135, 58] },
  quiche: { name: 'quiche', steps: ['roll the dough', 'whisk the eggs', 'bake'], colour: [235, 196, 92] },
  ratatouille: { name: 'ratatouille', steps: ['cut', 'stew', 'season'], colour: [178, 58, 44] },
  crepe: { name: 'crepe', steps: ['stir the batter', 'flip', 'sugar'], colour: [222, 184, 120] },
  bouillabaisse: {
    name: 'bouillabaisse',
    steps: ['clean the fish', 'chop', 'simmer', 'strain', 'reduce', 'rest'],
    colour: [214, 110, 40],
  },
} satisfies Record<string, Dish>;
