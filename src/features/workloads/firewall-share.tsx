import type { Workload } from '@/domain/inventory';
import { Missing } from '@/ui/missing';
import { Status } from '@/ui/status';

type Counted = Pick<Workload, 'interfaces_total' | 'interfaces_firewalled' | 'config_read_at'>;

/** In words: `All 2`, `1 of 2`, `None of 2`, `Unknown`; null for a guest without network cards. */
export function firewallText({ interfaces_total, interfaces_firewalled, config_read_at }: Counted): string | null {
  if (config_read_at === null) return 'Unknown';
  if (interfaces_total === 0) return null;
  if (interfaces_firewalled === interfaces_total) return interfaces_total === 1 ? 'On' : `All ${interfaces_total}`;
  if (interfaces_firewalled === 0) return interfaces_total === 1 ? 'Off' : `None of ${interfaces_total}`;
  return `${interfaces_firewalled} of ${interfaces_total}`;
}

/** On how many network cards the firewall flag is set. One card without it is a way around every rule. */
export function FirewallShare({ workload }: { workload: Counted }) {
  const text = firewallText(workload);
  if (text === null) return <Missing label="No network card" />;
  const { interfaces_total, interfaces_firewalled, config_read_at } = workload;
  if (config_read_at === null) return <Status tone="unknown">{text}</Status>;
  const tone = interfaces_firewalled === interfaces_total ? 'ok' : interfaces_firewalled === 0 ? 'off' : 'warn';
  return <Status tone={tone}>{text}</Status>;
}
