import type { AgentHour } from '@/domain/agent';
import { HOUR_MS } from '@/domain/durations';

const HOURS = 24;

/** The last day hour by hour, with zeros where nothing came: gaps are what one looks for. */
export function lastDay(hours: readonly AgentHour[], now: number) {
  const newest = Math.floor(now / HOUR_MS) * HOUR_MS;
  const starts = Array.from({ length: HOURS }, (_, i) => newest - (HOURS - 1 - i) * HOUR_MS);
  const known = new Map(hours.map((hour) => [Date.parse(hour.hour_at), hour]));
  return { starts, heartbeats: starts.map((start) => known.get(start)?.heartbeats ?? 0) };
}
