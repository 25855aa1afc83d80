import { clock } from '../../lib/clock';

const DAY_MS = 86_400_000;

/** The dates (UTC) of the last `count` days, today included, the oldest first. */
export function coverageDays(count: number): string[] {
  const today = clock.now().getTime();
  return Array.from({ length: count }, (_, i) => new Date(today - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10));
}
