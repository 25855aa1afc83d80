/** Remembers what `load` answers for `ms` of the caller's clock; failures are not remembered. */
export function briefly<T>(
  ms: number,
  now: () => number,
  load: () => Promise<T>,
): { get(): Promise<T>; fresh(): Promise<T> } {
  let known: { at: number; value: Promise<T> } | null = null;
  const fresh = () => {
    const mine = { at: now(), value: load() };
    known = mine;
    mine.value.catch(() => {
      if (known === mine) known = null;
    });
    return mine.value;
  };
  return {
    fresh,
    get: () => (known !== null && now() - known.at < ms && now() >= known.at ? known.value : fresh()),
  };
}
