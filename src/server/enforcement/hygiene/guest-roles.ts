import { describeLive } from '@/domain/drift/describe-rule';
import type { LiveRule } from '@/domain/firewall/live-state';
import { placeKey, ruleAt } from '@/domain/firewall/rule-at';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { analyzeGuest, type ChainCache, type GuestDecider } from '@/domain/hygiene/analyze-guest';
import type { FindingDetail } from '@/domain/hygiene/finding';
import type { UnknownRoleReason } from '@/domain/hygiene/kinds';
import { formatPolicyRule, type HygieneSubject, type KnownRole } from '@/domain/hygiene/role-tally';
import type { DesiredRule } from '@/domain/policy/desired';
import { parseMarker } from '@/domain/policy/marker';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { policiesById } from '../policies/policy-inputs';
import type { InputWorkload } from '../queries/policy-inputs';
import { guestContext } from '../verdicts/guest-context';

type Witness = NonNullable<FindingDetail['witnesses']>[number];

/** What the rules of one workload do there. */
export type GuestRoles = {
  /** By policy and position, as `toRuleKey` makes it, of every rule that a policy requires there. */
  readonly managed: ReadonlyMap<string, KnownRole>;
  /** Enabled rules of the workload's own list that Fabric did not write. */
  readonly unmanaged: readonly { readonly subject: HygieneSubject; readonly role: KnownRole }[];
  /** Why nothing is claimed about unmanaged rules; null: they are known. */
  readonly unknown: UnknownRoleReason | null;
  readonly toWitness: (by: GuestDecider) => Witness;
};

export const toRuleKey = (policyId: string, position: number): string => `${policyId} ${position}`;
const toOwnKey = (position: number) => `own ${position}`;

const ACTIONS: Readonly<Record<string, HygieneSubject['action']>> = {
  ACCEPT: 'accept',
  DROP: 'drop',
  REJECT: 'reject',
};

/** The rule of a policy that each live rule is, by the live rule's position. Null: it is not what the policy requires now. */
function matchDesired(
  rules: readonly LiveRule[],
  desired: readonly DesiredRule[],
  workload: InputWorkload,
  instance: string,
) {
  const byHash = new Map(desired.map((rule) => [`${rule.policy_id} ${rule.rule_hash}`, rule]));
  const owners = new Map<number, string | null>();
  const live = new Set<string>();
  for (const rule of rules) {
    const marker = parseMarker(rule.comment);
    if (!marker || marker.instance !== instance) continue;
    const hash = `${marker.policy_id} ${marker.rule_hash}`;
    const found = marker.vmid === workload.vmid && rule.enable ? byHash.get(hash) : undefined;
    owners.set(rule.pos, found ? toRuleKey(found.policy_id, found.rule_position) : null);
    if (found) live.add(hash);
  }
  const missing = new Set(
    desired
      .filter(({ policy_id, rule_hash }) => !live.has(`${policy_id} ${rule_hash}`))
      .map(({ policy_id, rule_position }) => toRuleKey(policy_id, rule_position)),
  );
  return { owners, missing };
}

/** Why nothing can be claimed about any rule of a workload; null: its rules are known and enforced. */
function findDoubt(
  snapshot: GuestSnapshot | null,
  interfaces: readonly { live: { enforcement: { status: 'on' | 'off' | 'unknown' } } }[] | null,
): UnknownRoleReason | null {
  if (snapshot?.presence !== 'present' || !snapshot.rules || !snapshot.options || !interfaces) return 'not_read';
  const statuses = interfaces.map(({ live }) => live.enforcement.status);
  if (statuses.includes('unknown')) return 'undecided';
  return statuses.includes('on') ? null : 'not_enforced';
}

/** Describes deciders of a workload's packets. Names of policies are looked up when the finding is read. */
function createDescriber(
  firewall: FirewallState,
  workload: InputWorkload,
  state: Parameters<typeof ruleAt>[0],
  desired: readonly DesiredRule[],
) {
  const policies = policiesById(firewall.inputs.policies);
  const positions = new Map(desired.map((rule) => [`${rule.policy_id} ${rule.rule_hash}`, rule.rule_position]));
  const none = { text: null, action: null, policy_id: null, rule_position: null, position: null };
  const known = new Map<string, Witness>();
  return (by: GuestDecider): Witness => {
    if ('builtin' in by) {
      const { builtin } = by;
      if (builtin.kind === 'default') return { ...none, kind: 'default', text: builtin.policy };
      return { ...none, kind: 'builtin', text: builtin.kind === 'builtin' ? builtin.name : null };
    }
    const { place } = by;
    const found = known.get(placeKey(place));
    if (found) return found;
    const rule = ruleAt(state, place)?.rule;
    const marker = place.group === undefined ? parseMarker(rule?.comment) : null;
    const isManaged = marker?.instance === firewall.inputs.instance && marker.vmid === workload.vmid;
    const position = isManaged ? positions.get(`${marker.policy_id} ${marker.rule_hash}`) : undefined;
    const own = isManaged ? policies.get(marker.policy_id)?.rules.find((one) => one.position === position) : undefined;
    const text = own ? formatPolicyRule(own) : rule ? describeLive(rule) : null;
    const witness: Witness = {
      kind: 'rule',
      text: place.group === undefined ? text : `${place.group}: ${text ?? ''}`,
      action: ACTIONS[rule?.action ?? ''] ?? null,
      policy_id: isManaged ? marker.policy_id : null,
      rule_position: position ?? null,
      position: isManaged ? null : place.position,
    };
    known.set(placeKey(place), witness);
    return witness;
  };
}

/** What the rules of a workload do there, as last read. Null: no rules are there, and none are desired. */
export function readGuestRoles(
  firewall: FirewallState,
  workload: InputWorkload,
  cache?: ChainCache,
): GuestRoles | null {
  const desired = firewall.desiredAt(workload.id)?.rules ?? [];
  const snapshot = firewall.snapshots.guests.get(workload.id)?.state ?? null;
  const live = snapshot?.rules ?? [];
  if (desired.length === 0 && live.length === 0) return null;
  const context = guestContext(firewall, workload.id);
  if (!context) return null;
  const toWitness = createDescriber(firewall, workload, context.state, desired);
  const keys = new Set(desired.map(({ policy_id, rule_position }) => toRuleKey(policy_id, rule_position)));
  const doubt = findDoubt(snapshot, context.interfaces);
  if (doubt) {
    const role = { status: 'unknown', reason: doubt } as const;
    const isOwn = live.some(({ comment }) => parseMarker(comment) === null);
    return {
      managed: new Map([...keys].map((key) => [key, role])),
      unmanaged: [],
      unknown: isOwn ? doubt : null,
      toWitness,
    };
  }
  const { owners, missing } = matchDesired(live, desired, workload, firewall.inputs.instance);
  const enforced = (context.interfaces ?? []).flatMap(({ live: guest }) =>
    guest.enforcement.status === 'on' ? [guest] : [],
  );
  const getSubject = ({ position }: { position: number }) => {
    const owner = owners.get(position);
    return owner === undefined ? toOwnKey(position) : owner;
  };
  const roles = analyzeGuest(enforced, getSubject, cache);
  const managed = [...keys].map((key): [string, KnownRole] => {
    const role = missing.has(key) ? undefined : roles.get(key);
    return [key, role ?? { status: 'unknown', reason: missing.has(key) ? 'not_in_sync' : 'undecided' }];
  });
  const unmanaged = live.flatMap((rule) => {
    const role = owners.has(rule.pos) ? undefined : roles.get(toOwnKey(rule.pos));
    if (!role) return [];
    const about = { policy_id: null, policy_version: null, rule_id: null, rule_position: rule.pos };
    const action = ACTIONS[rule.action] ?? 'accept';
    return [{ subject: { ...about, subject: describeLive(rule), workload_id: workload.id, action }, role }];
  });
  return { managed: new Map(managed), unmanaged, unknown: null, toWitness };
}
