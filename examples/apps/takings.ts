export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export interface Takings {
  week: number;
  days: { day: Weekday; guests: number; amount: number }[];
}

const GUESTS: Readonly<Record<Weekday, number>> = {
  Monday: 31,
  Tuesday: 36,
  Wednesday: 44,
  Thursday: 52,
  Friday: 81,
  Saturday: 94,
  Sunday: 63,
};
const DISHES = {
  'Onion soup': 0.16,
  'Steak frites': 0.34,
  Ratatouille: 0.19,
  'Crème brûlée': 0.13,
  Wine: 0.18,
};

/** The takings of a week. The same week always gives the same. */
export function takingsOf(week: number): Takings {
  const days = WEEKDAYS.map((day, index) => {
    const guests = GUESTS[day] + ((week * 7 + index * 5) % 11);
    return { day, guests, amount: guests * (24 + ((week + index) % 5)) };
  });
  return { week, days };
}

/** What was sold on a day, by dish. */
export function dishesOf(week: number, day: Weekday): { name: string; amount: number }[] {
  const amount = takingsOf(week).days.find(one => one.day === day)?.amount ?? 0;
  return Object.entries(DISHES).map(([name, share]) => ({ name, amount: Math.round(amount * share) }));
}
