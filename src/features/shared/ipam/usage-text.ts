import type { Usage } from '@/domain/ipam/subnet';
import { formatCount } from '@/lib/format';

/** A number of addresses, given as decimal text: exact up to seven digits, then in millions, then as a power of two. */
export function capacityText(capacity: string): string {
  const value = BigInt(capacity);
  if (value < 10_000_000n) return formatCount(Number(value));
  if (value < 1n << 32n) return `${(Number(value) / 1e6).toFixed(1)} M`;
  const bits = (value + 1n).toString(2).length - 1;
  return `2^${bits}`;
}

/** `12 of 254`: how many addresses of a prefix are taken. */
export const usageText = (usage: Usage): string => `${formatCount(usage.used)} of ${capacityText(usage.capacity)}`;
