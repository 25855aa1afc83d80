import type { Usage } from '@/domain/ipam/subnet';
import { formatCount } from '@/lib/format';
import { Meter } from '@/ui/meter';
import { ADDRESS_STATE_WORDS } from './address-state';
import { usageText } from './usage-text';

/** From these shares on a prefix is shown as nearly full, and as full. */
const WARN_AT = 0.8;
const DANGER_AT = 0.95;

const STATES = ['active', 'reserved', 'dhcp', 'conflict', 'stale'] as const;

/** How full a prefix is; the numbers by state stand in its title. */
export function UsageMeter({ cidr, usage }: { cidr: string; usage: Usage }) {
  const parts = STATES.filter((state) => usage[state] > 0).map(
    (state) => `${formatCount(usage[state])} ${ADDRESS_STATE_WORDS[state].word.toLowerCase()}`,
  );
  return (
    <span title={parts.join(', ') || 'No addresses known'} className="flex w-full">
      <Meter
        label={`Addresses used in ${cidr}`}
        share={usage.utilisation}
        warnAt={WARN_AT}
        dangerAt={DANGER_AT}
        text={usageText(usage)}
      />
    </span>
  );
}
