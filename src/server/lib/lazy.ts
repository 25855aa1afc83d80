/**
 * An object that is made on first use. Importing a module must not open connections or demand an environment:
 * `next build` and the tests import everything.
 */
export function lazy<T extends object>(make: () => T): T {
  let made: T | undefined;
  const target = () => {
    made ??= make();
    return made;
  };
  return new Proxy({} as T, {
    get: (_, key) => {
      const value = Reflect.get(target(), key);
      return typeof value === 'function' ? value.bind(made) : value;
    },
    has: (_, key) => Reflect.has(target(), key),
  });
}
