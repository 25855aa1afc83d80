import type { Usage } from '@/domain/ipam/subnet';
import { formatCount } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';

/** A number of addresses, given as decimal text: exact up to seven digits, then in millions, then the nearest power of two. */
export function capacityText(capacity: string): string {
  const value = BigInt(capacity);
  if (value < 10_000_000n) return formatCount(Number(value));
  if (value < 1n << 32n) return `${(Number(value) / 1e6).toFixed(1)} M`;
  // As a number is exact enough: it only chooses the nearest power.
  return `2^${Math.round(Math.log2(Number(value)))}`;
}

/** `12 of 254`: how many addresses of a prefix are taken. */
export const usageText = (t: Translate, usage: Usage): string =>
  t('{used, number} of {capacity}', { used: usage.used, capacity: capacityText(usage.capacity) });
