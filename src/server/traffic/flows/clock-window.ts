/** Less than this is the time the heartbeat took, not a wrong clock. */
const TOLERANCE_MS = 10_000;
const MAX_OFFSET_MS = 2_147_483_647;

/** How an agent's times are read: in milliseconds since 1970. */
export type ClockWindow = {
  /** Time of the service. */
  now: number;
  /** The agent's clock minus the service's clock. */
  offset_ms: number;
  /** The time on the service's clock, never in the future and never before 1970; null when the text is not a time. */
  read(text: string): number | null;
};

/**
 * Measures an agent's clock by when it says it sent. A clock that is wrong by more than 10 seconds is corrected for.
 * @param known the offset measured before, for a heartbeat that was not sent just now; null measures it
 */
export function clockWindow(now: Date, sentAt: string, known: number | null = null): ClockWindow {
  const at = now.getTime();
  const measured = known ?? Date.parse(sentAt) - at;
  const offset = Number.isFinite(measured) ? Math.min(Math.max(measured, -MAX_OFFSET_MS), MAX_OFFSET_MS) : 0;
  const correction = Math.abs(offset) > TOLERANCE_MS ? offset : 0;
  return {
    now: at,
    offset_ms: Math.round(offset),
    read(text) {
      const time = Date.parse(text);
      return Number.isNaN(time) ? null : Math.max(0, Math.min(time - correction, at));
    },
  };
}
