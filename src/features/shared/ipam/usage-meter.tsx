import type { Usage } from '@/domain/ipam/subnet';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Meter } from '@/ui/meter';
import { usageText } from './usage-text';

/** From these shares on a prefix is shown as nearly full, and as full. */
const WARN_AT = 0.8;
const DANGER_AT = 0.95;

const STATES = ['active', 'reserved', 'dhcp', 'conflict', 'stale'] as const;

const COUNTS: Record<(typeof STATES)[number], string> = {
  active: msg('{n, number} active'),
  reserved: msg('{n, number} reserved'),
  dhcp: msg('{n, number} dhcp'),
  conflict: msg('{n, number} conflict'),
  stale: msg('{n, number} stale'),
};

/** How full a prefix is; the numbers by state stand in its title. */
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
