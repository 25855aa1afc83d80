/** Calls `work` for every item, at most `limit` at once, in order of the list. The first error ends it. */
export async function concurrently<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) {
      signal.throwIfAborted();
      if (stop.signal.aborted) return;
      await work(item);
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, () =>
    worker().catch((error: unknown) => {
      stop.abort();
      throw error;
    }),
  );
  // All of them have ended before the error goes on: nothing writes after the run was given up.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
