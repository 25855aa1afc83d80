const forgets: (() => void)[] = [];

/**
 * What this process keeps from one request to the next: caches, open connections, work that several callers share. Declared by this
 * function instead of as variables of a module, it can be forgotten as a whole.
 * @param initial what a new process has
 */
export function processState<T extends object>(initial: () => T): T {
  const state = initial();
  forgets.push(() => {
    for (const key of Object.keys(state)) Reflect.deleteProperty(state, key);
    Object.assign(state, initial());
  });
  return state;
}

/** Resets the state to that of a new process, without closing what is open. For tests that share a process. */
export function forgetProcessState(): void {
  for (const forget of forgets) forget();
}

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
