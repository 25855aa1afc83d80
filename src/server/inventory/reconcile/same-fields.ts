/** Equality of what columns hold: scalars, lists of scalars (in order), flat objects (in any order of keys). */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const right = Object.entries(b).filter(([, value]) => value !== undefined);
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && sameValue(value, b[key as keyof typeof b]))
  );
}

/** Whether two rows agree in the columns of `a`. */
export function sameFields<T extends object>(a: T, b: T): boolean {
  return Object.entries(a).every(([key, value]) => sameValue(value, b[key as keyof T]));
}
