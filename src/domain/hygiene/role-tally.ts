import { protocolName } from '../firewall/data/protocols';
import type { Packet } from '../firewall/packet';
import { formatIp } from '../net/ip-address';
import type { SecurityRuleInput } from '../policy/policy';
import type { GuestDecider, GuestRole } from './analyze-guest';
import type { FindingDetail, HygieneCheck, HygienePacket, NewFinding } from './finding';
import type { UnknownRoleReason } from './kinds';

/** How harmful findings are, 0 to 100. Traffic that is meant to be blocked and passes is the worst. */
export const SCORES = {
  drop_never_decides: 95,
  accept_never_decides: 85,
  expired: 80,
  contradicts_partly: 75,
  unresolved: 65,
  broad: 50,
  unused: 45,
  shadowed: 40,
  redundant: 30,
  denied: 20,
} as const;

type Witness = NonNullable<FindingDetail['witnesses']>[number];

/** A rule whose findings are looked for: a rule of a policy, or an unmanaged one of a workload. */
export type HygieneSubject = Pick<
  NewFinding,
  'policy_id' | 'policy_version' | 'rule_id' | 'rule_position' | 'subject' | 'workload_id'
> & { readonly action: SecurityRuleInput['action'] };

/** What a rule does on one workload, or why that is not known. */
export type KnownRole = GuestRole | { readonly status: 'unknown'; readonly reason: UnknownRoleReason };

type Matching = Pick<
  SecurityRuleInput,
  'action' | 'protocol' | 'icmp_type' | 'source_ports' | 'destination_ports' | 'comment'
>;

/** A rule of a policy as text. */
export const formatPolicyRule = (rule: Matching): string =>
  [
    rule.action.toUpperCase(),
    rule.protocol,
    ...(rule.icmp_type === null ? [] : [rule.icmp_type]),
    ...(rule.source_ports.length > 0 ? [`from ${rule.source_ports.join(',')}`] : []),
    ...(rule.destination_ports.length > 0 ? [`to ${rule.destination_ports.join(',')}`] : []),
    ...(rule.comment === '' ? [] : [`# ${rule.comment}`]),
  ].join(' ');

const formatPacket = (packet: Packet): HygienePacket => ({
  direction: packet.direction,
  source: formatIp(packet.source),
  destination: formatIp(packet.destination),
  protocol: protocolName(packet.protocol) ?? `${packet.protocol}`,
  source_port: packet.source_port ?? null,
  destination_port: packet.destination_port ?? null,
  icmp_type: packet.icmp_type ?? null,
});

type About = Pick<NewFinding, 'policy_id' | 'rule_id' | 'workload_id' | 'rule_position'>;

/** Identifies what a finding is about. */
export const toFindingKey = (kind: NewFinding['kind'], about: About, more = ''): string => {
  const { policy_id, rule_id, workload_id, rule_position } = about;
  const rule = policy_id === null ? `${workload_id} ${rule_position}` : `${policy_id} ${rule_id ?? ''}`;
  return `${kind} ${rule} ${more}`.trim();
};

const MOST_WITNESSES = 10;
/** Workloads that a finding names. */
export const MOST_WORKLOADS = 20;

/** What deciders, workloads and an example are collected in, the first of each. */
class Evidence {
  readonly #witnesses = new Map<string, Witness>();
  readonly #workloads: string[] = [];
  #example: HygienePacket | null = null;
  workloads = 0;

  add(workloadId: string, witnesses: readonly Witness[], example: Packet | null): void {
    this.workloads += 1;
    if (this.#workloads.length < MOST_WORKLOADS) this.#workloads.push(workloadId);
    for (const witness of witnesses) {
      if (this.#witnesses.size < MOST_WITNESSES) this.#witnesses.set(JSON.stringify(witness), witness);
    }
    if (example) this.#example ??= formatPacket(example);
  }

  get detail(): FindingDetail {
    return { workload_ids: this.#workloads, witnesses: [...this.#witnesses.values()], example: this.#example };
  }
}

/**
 * What one rule does on all of its workloads. It is shadowed or redundant only if it is on all of them, and one of which nothing is
 * known keeps both from being claimed. It contradicts a rule wherever it does.
 */
export class RoleTally {
  readonly #subject: HygieneSubject;
  readonly #removable = new Evidence();
  readonly #conflicts = new Evidence();
  #total = 0;
  #redundant = 0;
  readonly unknown: { -readonly [K in keyof HygieneCheck['unknown']]: HygieneCheck['unknown'][K] } = {};

  constructor(subject: HygieneSubject) {
    this.#subject = subject;
  }

  /** @param toWitness what decides in place of the rule on this workload */
  add(workloadId: string, role: KnownRole, toWitness: (by: GuestDecider) => Witness): void {
    this.#total += 1;
    if (!('by' in role) || role.status === 'unknown') {
      const reason = 'reason' in role ? role.reason : 'undecided';
      this.unknown[reason] = (this.unknown[reason] ?? 0) + 1;
      return;
    }
    if (role.status !== 'effective') this.#removable.add(workloadId, role.by.map(toWitness), role.example);
    if (role.status === 'redundant') this.#redundant += 1;
    const [conflict] = role.conflicts;
    if (!conflict) return;
    const contradicting = role.conflicts.map(({ place }) => toWitness({ place }));
    this.#conflicts.add(workloadId, contradicting, conflict.example);
  }

  #build(kind: NewFinding['kind'], score: number, { workloads, detail }: Evidence): NewFinding {
    const { action: _, ...about } = this.#subject;
    const counts = { workloads_affected: workloads, workloads_total: this.#total };
    return { ...about, kind, key: toFindingKey(kind, about), score, ...counts, detail };
  }

  findings(): NewFinding[] {
    const isRemovable = this.#total > 0 && this.#removable.workloads === this.#total;
    const isShadowed = isRemovable && this.#redundant === 0;
    const findings: NewFinding[] = [];
    if (this.#conflicts.workloads > 0) {
      const never = this.#subject.action === 'accept' ? SCORES.accept_never_decides : SCORES.drop_never_decides;
      findings.push(this.#build('contradictory', isShadowed ? never : SCORES.contradicts_partly, this.#conflicts));
    }
    if (isShadowed) findings.push(this.#build('shadowed', SCORES.shadowed, this.#removable));
    else if (isRemovable) findings.push(this.#build('redundant', SCORES.redundant, this.#removable));
    return findings;
  }
}
