/** The fields that are given and differ from what is stored. Lists are compared item by item. */
export function changedFields<T extends object, C extends Partial<T>>(stored: T, given: C): Partial<C> {
  const same = (a: unknown, b: unknown) => a === b || (Array.isArray(a) && JSON.stringify(a) === JSON.stringify(b));
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && !same(value, stored[name as keyof T])),
  ) as Partial<C>;
}
