import type { Usage } from '@/domain/ipam/subnet';
import { formatCount } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Meter } from '@/ui/meter';

/** From these shares on a prefix is shown as nearly full, and as full. */
const WARN_AT = 0.8;
const DANGER_AT = 0.95;

const STATES = ['active', 'reserved', 'dhcp', 'conflict', 'stale'] as const;

const COUNTS: Record<(typeof STATES)[number], string> = {
  active: msg('{n, number} active'),
  reserved: msg('{n, number} reserved'),
  dhcp: msg('{n, number} DHCP'),
  conflict: msg('{n, number} in conflict'),
  stale: msg('{n, number} stale'),
};

/** How full a prefix is; its title shows the numbers by state. */
export function UsageMeter({ cidr, usage }: { cidr: string; usage: Usage }) {
  const t = useT();
  const parts = STATES.filter((state) => usage[state] > 0).map((state) => t(COUNTS[state], { n: usage[state] }));
  return (
    <span title={parts.join(', ') || t('No addresses known')} className="flex w-full">
      <Meter
        label={t('Addresses used in {cidr}', { cidr })}
        share={usage.utilisation}
        warnAt={WARN_AT}
        dangerAt={DANGER_AT}
        text={usageText(t, usage)}
      />
    </span>
  );
}

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
