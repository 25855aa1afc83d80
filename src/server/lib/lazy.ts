import { processState } from './process-state';

/**
 * An object that is made on first use. Importing a module must not open connections or demand an environment:
 * `next build` and the tests import everything.
 */
export function lazy<T extends object>(make: () => T): T {
  const kept = processState<{ made?: T }>(() => ({ made: undefined }));
  const target = () => {
    kept.made ??= make();
    return kept.made;
  };
  return new Proxy({} as T, {
    get: (_, key) => {
      const value = Reflect.get(target(), key);
      return typeof value === 'function' ? value.bind(kept.made) : value;
    },
    has: (_, key) => Reflect.has(target(), key),
  });
}
