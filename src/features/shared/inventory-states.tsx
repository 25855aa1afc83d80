import type { Protection, UnprotectedReason } from '@/domain/firewall/protection';
import type { Node, Workload, WorkloadEnforcement } from '@/domain/inventory';
import type { Subnet } from '@/domain/ipam/subnet';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Status, type Tone } from '@/ui/status';
import { Missing, RelativeTime } from '@/ui/values';

type State = { tone: Tone; word: string };

export const NODE_STATES: Record<Node['status'], State> = {
  online: { tone: 'ok', word: msg('Online') },
  offline: { tone: 'danger', word: msg('Offline') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
};

export const WORKLOAD_STATES: Record<Workload['status'], State> = {
  running: { tone: 'ok', word: msg('Running') },
  stopped: { tone: 'off', word: msg('Stopped') },
  paused: { tone: 'warn', word: msg('Paused') },
  suspended: { tone: 'warn', word: msg('Suspended') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
};

export const KIND_LABELS: Record<Workload['kind'], string> = { qemu: msg('Virtual machine'), lxc: msg('Container') };

/** What becomes of inbound packets that no rule is about, as last read. */
export const PROTECTION_STATES: Record<Protection, State> = {
  default_deny: { tone: 'ok', word: msg('Default deny') },
  rules_default_accept: { tone: 'warn', word: msg('Rules, default accept') },
  no_rules: { tone: 'danger', word: msg('No rules, default accept') },
  off: { tone: 'danger', word: msg('Firewall off') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
};

/** Why a workload or an interface is not protected. */
export const UNPROTECTED_LABELS: Record<UnprotectedReason, string> = {
  cluster_firewall_off: msg('Cluster firewall off'),
  guest_firewall_off: msg('Guest firewall off'),
  nic_flag_off: msg('Firewall flag off'),
  no_rules: msg('No rules, default accept'),
  default_accept: msg('Default accept'),
  accepts_everything: msg('Rule accepts everything'),
  unknown: msg('Unknown'),
};

/** Whether the firewall is on at a workload's interfaces, as last read. */
export const ENFORCEMENT_LABELS: Record<WorkloadEnforcement, string> = {
  enforced: msg('On every interface'),
  unenforced: msg('Not on every interface'),
  unknown: msg('Unknown'),
  without_interface: msg('No interface'),
};

/** The kind, short enough for a column. */
export const SHORT_KIND_LABELS: Record<Workload['kind'], string> = { qemu: msg('VM'), lxc: msg('Container') };

export function NodeState({ status }: { status: Node['status'] }) {
  const t = useT();
  const { tone, word } = NODE_STATES[status];
  return <Status tone={tone}>{t(word)}</Status>;
}

export function WorkloadState({ status }: { status: Workload['status'] }) {
  const t = useT();
  const { tone, word } = WORKLOAD_STATES[status];
  return <Status tone={tone}>{t(word)}</Status>;
}

/** The protection of a workload or an interface; nothing to protect without one. */
export function ProtectionState({ protection }: { protection: Protection | null }) {
  const t = useT();
  if (protection === null) return <Missing label={t('No interface')} />;
  const { tone, word } = PROTECTION_STATES[protection];
  return <Status tone={tone}>{t(word)}</Status>;
}

/** Yes, no, or unknown because it could not be read. Defaults to the labels on and off. */
export function KnownFlag({
  value,
  yes,
  no,
  noTone = 'off',
}: {
  value: boolean | null;
  yes?: string;
  no?: string;
  noTone?: Tone;
}) {
  const t = useT();
  if (value === null) return <Status tone="unknown">{t('Unknown')}</Status>;
  return <Status tone={value ? 'ok' : noTone}>{value ? (yes ?? t('On')) : (no ?? t('Off'))}</Status>;
}

/** For what the cluster no longer lists without proof that it is gone. */
export function MissingSince({ at }: { at: string | null }) {
  const t = useT();
  if (!at) return null;
  return <Badge tone="warn">{t.rich('Missing since {time}', { time: <RelativeTime at={at} /> })}</Badge>;
}

/** Where a network or prefix is known from. */
export const IPAM_SOURCE_LABELS: Record<Subnet['source'], string> = {
  provider: msg('Cluster'),
  discovery: msg('Discovery'),
  manual: msg('Manual'),
};
