/** Calls `work` for every item, at most `limit` concurrently, in list order. The first error ends it. */
export async function forEachConcurrent<T>(
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
  // All calls have ended before the error propagates: nothing writes after the run was abandoned.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
