import { msg } from '@/lib/i18n/translator';
/** A span of time as RFC 3339 strings; null is open on that side. */
export type TimeRange = { since: string | null; until: string | null };

export const TIME_PRESETS = [
  { value: '1h', label: msg('Last hour'), hours: 1 },
  { value: '24h', label: msg('Last 24 hours'), hours: 24 },
  { value: '7d', label: msg('Last 7 days'), hours: 7 * 24 },
  { value: '30d', label: msg('Last 30 days'), hours: 30 * 24 },
] as const;

/** The range of a preset as it is now. It is stored as a fixed time, so that a link shows others the same records. */
export function presetRange(value: string, now: number): TimeRange {
  const preset = TIME_PRESETS.find((item) => item.value === value);
  return { since: preset ? new Date(now - preset.hours * 3_600_000).toISOString() : null, until: null };
}

const pad = (value: number) => String(value).padStart(2, '0');

/** What `<input type="datetime-local">` holds for a time, in the browser's zone. */
export function toLocalInput(time: string | null): string {
  if (!time) return '';
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

/** The inverse; null for an empty or unfinished input. */
export function fromLocalInput(text: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)) return null;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
