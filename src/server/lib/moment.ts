import { AsyncLocalStorage } from 'node:async_hooks';

type Moment = { readonly at: string; readonly made: Map<string, unknown> };
const moment = new AsyncLocalStorage<Moment>();

/** The time as of which the database is being read; null: now. What is kept for all readers must not be made then. */
export const getMoment = (): string | null => moment.getStore()?.at ?? null;

/** Says that `work` reads the database as of a time. Use `readPast`, which has it read that way. */
export const withMoment = <T>(at: string, work: () => Promise<T>): Promise<T> =>
  moment.run({ at, made: new Map() }, work);

/** What is made once for everything that is read as of a time; null while now is read. */
export function loadForMoment<T>(name: string, make: () => Promise<T>): Promise<T> | null {
  const present = moment.getStore();
  if (!present) return null;
  const known = present.made.get(name) ?? make();
  present.made.set(name, known);
  return known as Promise<T>;
}
