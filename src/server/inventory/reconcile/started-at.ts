// The hypervisor refreshes its statistics every ten seconds and answers from a cache, so the same start is seen a
// little differently each time. A later start than this is a real one.
const JITTER_MS = 30_000;

/**
 * When something that has been up for `uptime` seconds was started. The start known so far stays as long as it is the
 * same one; an unknown uptime changes nothing.
 */
export function startedAt(uptime: number | null, known: string | null, now: Date): string | null {
  if (uptime === null) return known;
  const start = Math.floor((now.getTime() - uptime * 1000) / 1000) * 1000;
  if (known !== null && Math.abs(start - Date.parse(known)) <= JITTER_MS) return known;
  return new Date(start).toISOString();
}
