import type { IMPACT_OUTCOMES, IMPACT_UNKNOWN_REASONS } from '@/domain/choices';
import type { EvidenceLevel } from '@/domain/impact/evidence';
import type { Impact, ImpactConversation, ImpactDifferenceRow, ImpactEnd } from '@/domain/impact/impact';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

export type Outcome = (typeof IMPACT_OUTCOMES)[number];

/** What a change does to conversations. Only what someone may have to prevent has a color. */
export const OUTCOME_LABELS: Record<Outcome, { word: string; tone: Tone; meaning: string }> = {
  newly_blocked: {
    word: msg('Newly blocked'),
    tone: 'danger',
    meaning: msg('Allowed now, blocked after the change.'),
  },
  unknown: {
    word: msg('Unknown'),
    tone: 'unknown',
    meaning: msg('The effect of the change could not be determined.'),
  },
  newly_allowed: { word: msg('Newly allowed'), tone: 'warn', meaning: msg('Blocked now, allowed after the change.') },
  still_blocked: { word: msg('Still blocked'), tone: 'neutral', meaning: msg('Blocked now and after the change.') },
  still_allowed: { word: msg('Still allowed'), tone: 'neutral', meaning: msg('Allowed now and after the change.') },
};

export const UNKNOWN_REASON_LABELS: Record<(typeof IMPACT_UNKNOWN_REASONS)[number], string> = {
  prefix_split: msg('Only a prefix is stored, and the rules treat its addresses differently.'),
  unreadable: msg('The firewall of a workload could not be read.'),
  not_stored: msg('It depends on a detail that is not stored, such as the source port.'),
  too_many: msg('There are more addresses or ports than Fabric tries.'),
};

/** How far the evidence about all workloads of a change reaches. */
export const CHANGE_LEVEL_MEANINGS: Record<EvidenceLevel, string> = {
  full: msg('Agents observed every workload in the whole time range, without known losses.'),
  partial: msg('Some traffic was not observed. Connections that are missing here may exist.'),
  none: msg('At least one workload was not observed at all. Missing connections are unknown, not zero.'),
};

/** What an impact says first. */
export type Finding =
  | 'running'
  | 'failed'
  | 'unchanged'
  | 'blocked'
  | 'flows_hidden'
  | 'not_replayed'
  | 'no_evidence'
  | 'undecided'
  | 'incomplete'
  | 'clean';

/**
 * What an impact says first. Counts of zero are good news only where conversations were replayed and the evidence is complete: everything
 * else is said before.
 */
export function getImpactFinding(impact: Impact, mayReadFlows: boolean): Finding {
  const { status, totals, confidence } = impact;
  if (status === 'failed') return 'failed';
  if (totals.newly_blocked > 0) return 'blocked';
  if (status === 'running') return 'running';
  if (impact.workloads_total === 0) return 'unchanged';
  if (!impact.traffic_visible) return mayReadFlows ? 'not_replayed' : 'flows_hidden';
  if (confidence === null || confidence.level === 'none') return 'no_evidence';
  if (totals.unknown > 0) return 'undecided';
  return confidence.level === 'partial' ? 'incomplete' : 'clean';
}

/** A count of conversations; null: unknown rather than zero. */
export function knownTotal({ status, totals, traffic_visible, confidence }: Impact, outcome: Outcome): number | null {
  const found = totals[outcome];
  if (found > 0) return found;
  const isKnown = status === 'done' && traffic_visible && confidence !== null && confidence.level !== 'none';
  return isKnown ? 0 : null;
}

/** `tcp/443`, `icmp`. */
export const formatService = ({ protocol, port }: Pick<ImpactConversation, 'protocol' | 'port'>): string =>
  port === null ? protocol : `${protocol}/${port}`;

/** The workload of an end, else its address or prefix. */
export const endName = ({ workload, prefix }: ImpactEnd): string => workload?.name ?? prefix;

/** Tenant and project of an end. */
export const ownerText = ({ tenant, project }: ImpactEnd): string | null =>
  [tenant?.name, project?.name].filter(Boolean).join(' / ') || null;

const listed = (t: Translate, texts: readonly string[], more: number): string =>
  [...texts, ...(more > 0 ? [t('and {n, number} more', { n: more })] : [])].join(', ');

/** Addresses of one end of a packet set, as short as they can be said. */
export function addressesText(t: Translate, addresses: ImpactDifferenceRow['from']): string {
  if (addresses === null) return t('any');
  const { networks, except, left_out, last_octet } = addresses;
  const some = listed(t, networks, left_out);
  const base = except ? (networks.length > 0 ? t('all except {list}', { list: some }) : t('any')) : some;
  if (last_octet === null) return base;
  return last_octet === '255'
    ? t('{list}, ending in .255', { list: base })
    : t('{list}, not ending in .255', { list: base });
}

/** `tcp`, `any` */
export const protocolsText = (t: Translate, { protocols }: Pick<ImpactDifferenceRow, 'protocols'>): string =>
  protocols === null ? t('any') : protocols.join(', ');

/** Ports of the destination, or ICMP types; with the source ports where they matter. */
export function portsText(
  t: Translate,
  { ports, icmp, source_ports }: Pick<ImpactDifferenceRow, 'ports' | 'icmp' | 'source_ports'>,
): string {
  const base = (icmp ?? ports)?.join(', ') ?? t('any');
  return source_ports === null ? base : t('{ports}, from port {list}', { ports: base, list: source_ports.join(', ') });
}
