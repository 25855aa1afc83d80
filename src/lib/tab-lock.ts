/** Runs one task at a time across all tabs of this origin. */
export type TabLock = <T>(run: () => Promise<T>) => Promise<T>;

/** Name of the lock. */
export const TAB_LOCK = 'fabric.session';
/** Longer than any request under the lock may take. A tab that died while it held the fallback lock blocks others for at most this long. */
const LEASE_MS = 20_000;
/** Longer than a write to localStorage takes to reach another tab's process. */
const SETTLE_MS = 60;

type Lease = { owner: string; until: number };

function readLease(storage: Storage): Lease | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(TAB_LOCK) ?? 'null');
    if (typeof value !== 'object' || value === null) return null;
    const { owner, until } = value as Record<string, unknown>;
    return typeof owner === 'string' && typeof until === 'number' ? { owner, until } : null;
  } catch {
    return null;
  }
}

/**
 * A lock over localStorage for pages served by plain HTTP, where the browser offers no Web Locks: write a claim, let
 * it settle, and continue if the claim still belongs to this tab. It holds no secret, only a random name and a time.
 */
export function storageLock(
  storage: Storage,
  wait: (ms: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now: () => number = Date.now,
): TabLock {
  return async (run) => {
    const owner = `${now()}.${Math.random()}`;
    for (;;) {
      const held = readLease(storage);
      if (!held || held.until < now()) {
        storage.setItem(TAB_LOCK, JSON.stringify({ owner, until: now() + LEASE_MS }));
        await wait(SETTLE_MS);
        if (readLease(storage)?.owner === owner) break;
      } else {
        await wait(SETTLE_MS * (1 + Math.random()));
      }
    }
    try {
      return await run();
    } finally {
      if (readLease(storage)?.owner === owner) storage.removeItem(TAB_LOCK);
    }
  };
}

/** The best lock this browser has: Web Locks, localStorage on plain HTTP, none where storage is refused as well. */
export function browserTabLock(): TabLock {
  const { locks } = navigator as { locks?: LockManager };
  // The DOM types say that request() resolves to the callback's promise type; it awaits it.
  if (locks) return async (run) => await locks.request(TAB_LOCK, run);
  try {
    return storageLock(window.localStorage);
  } catch {
    return (run) => run();
  }
}
