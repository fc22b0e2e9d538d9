export interface Table {
  id: string;
  seats: number;
  isFree: boolean;
}

/** The tables of the bistro, and who booked them tonight. */
export class Floor {
  readonly #seats: Readonly<Record<string, number>> = { A: 2, B: 2, C: 4, D: 4, E: 6, F: 8 };
  readonly #booked = new Map([['C', 'Grace']]);

  tables(): Table[] {
    return Object.entries(this.#seats).map(([id, seats]) => ({ id, seats, isFree: !this.#booked.has(id) }));
  }

  /** Books a table, or returns why it cannot be booked. */
  book(id: string, guests: number, name: string): string | undefined {
    const seats = Object.hasOwn(this.#seats, id) ? this.#seats[id] : undefined;
    if (seats === undefined) return `There is no table ${id}.`;
    if (this.#booked.has(id)) return `Table ${id} is taken.`;
    if (seats < guests) return `Table ${id} has only ${seats} seats.`;
    this.#booked.set(id, name);
    return undefined;
  }
}
