const BASE_MILLISECONDS = 2000;
const CAP_MILLISECONDS = 5 * 60 * 1000;
const MAX_RETRY_AFTER_MILLISECONDS = 60 * 60 * 1000;

/**
 * How long to wait after `failures` failures in a row: a random part of a span that doubles each time ("full jitter"),
 * so that a thousand agents do not come back at the same time.
 * @param most the longest span, in milliseconds
 */
export function backoffDelay(
  failures: number,
  random: () => number = Math.random,
  most: number = CAP_MILLISECONDS,
): number {
  return random() * Math.min(most, BASE_MILLISECONDS * 2 ** Math.min(failures, 30));
}

/**
 * Milliseconds a server asks to wait, from its Retry-After header (seconds or a date), at most an hour.
 * @returns null when the header is absent or makes no sense
 */
export function retryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(milliseconds) ? Math.min(Math.max(0, milliseconds), MAX_RETRY_AFTER_MILLISECONDS) : null;
}

/** A time moved randomly by up to a tenth, so that agents started together drift apart. */
export function addJitter(milliseconds: number, random: () => number = Math.random): number {
  return milliseconds * (0.9 + 0.2 * random());
}
