import { z } from 'zod';

// Swedish writes a date and a time in the order of ISO 8601.
const formatIn = (zone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

/** Whether the time zone is known here. */
export function isTimeZone(zone: string): boolean {
  try {
    formatIn(zone);
    return true;
  } catch {
    return false;
  }
}

/** The IANA name of a time zone. */
export const TimeZone = z
  .string('Enter a time zone as text.')
  .trim()
  .max(64, 'At most 64 characters.')
  .refine(isTimeZone, 'An IANA time zone such as Europe/Berlin or UTC.');

/** `2026-11-24 03:15:07 Europe/Berlin`: a time where its readers are, with the zone. */
export const localTime = (iso: string, zone: string): string => `${formatIn(zone).format(Date.parse(iso))} ${zone}`;

const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A text with every UTC time in it as `localTime`. */
export const withLocalTimes = (text: string, zone: string): string =>
  text.replace(ISO_TIME, (iso) => (Number.isNaN(Date.parse(iso)) ? iso : localTime(iso, zone)));

/** The time zone of this process. */
export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
