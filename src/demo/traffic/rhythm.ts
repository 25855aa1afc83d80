/** The demo's people live an hour ahead of UTC. */
const OFFSET_MS = 3_600_000;

export type LocalTime = {
  /** Hours since midnight, with fractions. */ hour: number;
  isWeekend: boolean;
  minute: number;
};

export function localTime(ms: number): LocalTime {
  const date = new Date(ms + OFFSET_MS);
  const minute = date.getUTCMinutes();
  const day = date.getUTCDay();
  return { hour: date.getUTCHours() + minute / 60, minute, isWeekend: day === 0 || day === 6 };
}

/** A smooth hill around an hour of the day, 0 to 1. */
function hill(hour: number, top: number, width: number): number {
  const apart = Math.abs(hour - top);
  return Math.exp(-((Math.min(apart, 24 - apart) / width) ** 2));
}

/** How much of something happens at a time, 0 to 1. */
export type Rhythm = (time: LocalTime) => number;

export const RHYTHMS = {
  always: () => 1,
  /** Customers: quiet after midnight, lunch, and most of all the evening. */
  customers: ({ hour, isWeekend }) =>
    0.12 + (isWeekend ? 0.85 : 0.7) * Math.min(1, 0.6 * hill(hour, 12.5, 3.5) + hill(hour, 20, 3)),
  /** Who works in an office; some do on weekends. */
  office: ({ hour, isWeekend }) =>
    0.04 + (isWeekend ? 0.3 : 0.9) * Math.min(1, hill(hour, 10.5, 2.5) + hill(hour, 15, 2.8)),
  /** Backups. */
  night: ({ hour }) => (hour >= 1 && hour < 4 ? 1 : 0),
  /** Machines that never sleep, and work more when people do. */
  machines: ({ hour }) => 0.5 + 0.5 * hill(hour, 14, 6),
  /** An attacker who prefers unwatched hours, and keeps a foothold in the daytime. */
  exfiltration: ({ hour }) => (hour >= 1.5 && hour < 4.5 ? 1 : 0),
  scanning: ({ hour, minute }) => ((hour >= 2 && hour < 2.75) || (minute >= 20 && minute < 22) ? 1 : 0),
} as const satisfies Record<string, Rhythm>;

export type RhythmName = keyof typeof RHYTHMS;
