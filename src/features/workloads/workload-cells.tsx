'use client';
import type { UnprotectedReason } from '@/domain/firewall/protection';
import type { Workload } from '@/domain/inventory';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';
import { Status } from '@/ui/status';
import { Missing } from '@/ui/values';
import { PROTECTION_STATES, ProtectionState, UNPROTECTED_LABELS } from '../shared/inventory-states';

type Counted = Pick<Workload, 'interfaces_total' | 'interfaces_firewalled' | 'config_read_at'>;

/** As text: `All 2`, `1 of 2`, `None of 2`, `Unknown`; null for a guest without interfaces. */
export function firewallText(
  t: Translate,
  { interfaces_total: total, interfaces_firewalled: on, config_read_at }: Counted,
): string | null {
  if (config_read_at === null) return t('Unknown');
  if (total === 0) return null;
  if (on === total) return total === 1 ? t('On') : t('All {total, number}', { total });
  if (on === 0) return total === 1 ? t('Off') : t('None of {total, number}', { total });
  return t('{n, number} of {total, number}', { n: on, total });
}

/** On how many interfaces the firewall flag is set. A single interface without it bypasses every rule. */
export function FirewallShare({ workload }: { workload: Counted }) {
  const t = useT();
  const text = firewallText(t, workload);
  if (text === null) return <Missing label={t('No interface')} />;
  const { interfaces_total, interfaces_firewalled, config_read_at } = workload;
  if (config_read_at === null) return <Status tone="unknown">{text}</Status>;
  const tone = interfaces_firewalled === interfaces_total ? 'ok' : interfaces_firewalled === 0 ? 'off' : 'warn';
  return <Status tone={tone}>{text}</Status>;
}

/** So many tags are shown in a cell. */
const MOST_TAGS = 3;

/** The tags of a workload, and how many more there are; each leads to all workloads with that tag. */
export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="flex max-w-full gap-1" title={tags.join(', ')}>
      {tags.slice(0, MOST_TAGS).map((tag) => (
        <Link
          key={tag}
          href={paths.workloads({ tag })}
          className="block h-6 min-w-6 max-w-28 truncate rounded-sm border leading-5.5 bg-surface-2 px-1.5 text-sm text-muted hover:text-text"
        >
          {tag}
        </Link>
      ))}
      {tags.length > MOST_TAGS && <span className="text-faint">+{tags.length - MOST_TAGS}</span>}
    </span>
  );
}

/** The first addresses of a guest, and how many more there are. */
export function Addresses({ workload }: { workload: Pick<Workload, 'primary_addresses' | 'addresses_total'> }) {
  const t = useT();
  const { primary_addresses, addresses_total } = workload;
  if (primary_addresses.length === 0) return <Missing label={t('No address known')} />;
  const more = addresses_total - primary_addresses.length;
  return (
    <span title={primary_addresses.join(', ')}>
      <span className="mono">{primary_addresses.join(', ')}</span>
      {more > 0 && <span className="text-faint"> +{more}</span>}
    </span>
  );
}

type Protected = Pick<Workload, 'protection' | 'protection_reasons' | 'unprotected_interfaces' | 'interfaces_total'>;

/** Switches of more than one interface: its names say nothing then. */
const OF_ALL: readonly UnprotectedReason[] = ['cluster_firewall_off', 'guest_firewall_off'];

/** Why a workload is not protected: `Guest firewall off`, `net1 flag off`; `Default deny` when it is. Empty without an interface. */
function protectionTexts(t: Translate, workload: Protected): string[] {
  const { protection, protection_reasons: reasons, unprotected_interfaces: open, interfaces_total } = workload;
  if (protection === null) return [];
  if (reasons.length === 0) return [t(PROTECTION_STATES[protection].word)];
  return reasons.map((reason) => {
    const names = open.filter((nic) => nic.reasons.includes(reason)).map(({ name }) => name);
    const isPart = names.length > 0 && names.length < interfaces_total && !OF_ALL.includes(reason);
    const label = t(UNPROTECTED_LABELS[reason]);
    if (reason === 'nic_flag_off' && names.length > 0)
      return t('{interfaces} flag off', { interfaces: names.join(', ') });
    return isPart ? t('{interfaces}: {reason}', { interfaces: names.join(', '), reason: label }) : label;
  });
}

/** The protection as one text; null without an interface. */
export const protectionText = (t: Translate, workload: Protected): string | null =>
  protectionTexts(t, workload).join('; ') || null;

/** The protection of a workload; where it is not protected the first reason, and how many more there are. */
export function ProtectionReasons({ workload }: { workload: Protected }) {
  const t = useT();
  const [first, ...others] = protectionTexts(t, workload);
  if (first === undefined || workload.protection === null) return <ProtectionState protection={null} />;
  const { tone } = PROTECTION_STATES[workload.protection];
  if (others.length === 0) return <Status tone={tone}>{first}</Status>;
  return (
    <span className="flex min-w-0 items-center gap-1" title={[first, ...others].join('; ')}>
      <span className="min-w-0 truncate">
        <Status tone={tone}>{first}</Status>
      </span>
      <span className="shrink-0 text-faint">+{others.length}</span>
    </span>
  );
}
