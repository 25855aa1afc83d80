import type { DeploymentProblem } from '@/domain/deployments';
import type { CompilablePolicy, Compiled, DesiredGuest } from '@/domain/policy/desired';
import { parseMarker } from '@/domain/policy/marker';
import type { GuestFilter, GuestIntent, Origin } from '@/domain/policy/plan/guest-filter';
import { NOTHING_WRITTEN } from '@/domain/policy/plan/switch-changes';
import { comparePolicies } from '@/domain/policy/tier';
import { objectCache } from '../../lib/cache';
import { isDeployed, type PolicyInputs } from '../policies/policy-inputs';
import type { GuestFirewallRow } from '../queries/guest-firewalls';
import type { InputWorkload } from '../queries/policy-inputs';
import type { PlacementRow } from '../queries/policy-placements';

/** What a deployment wants of one guest. */
export type GuestWork = {
  readonly workload: InputWorkload;
  /** The desired state of the guest, of all policies; null: nothing. */
  readonly desired: DesiredGuest | null;
};

const orders = objectCache<PolicyInputs, string[]>({ name: 'policy_order' });

const getPolicyOrder = (inputs: PolicyInputs): string[] =>
  orders.load(inputs, null, () =>
    [...inputs.policies]
      .filter(isDeployed)
      .sort(comparePolicies)
      .map(({ id }) => id),
  );

const isTenantPolicy = (inputs: PolicyInputs, policyId: string) =>
  (inputs.policies.find(({ id }) => id === policyId)?.tenant_id ?? null) !== null;

/** Platform policies of which tenants may not see the rules. */
const getOpaquePolicyIds = (inputs: PolicyInputs): ReadonlySet<string> =>
  new Set(
    inputs.policies
      .filter(({ tenant_id, tenant_visibility }) => tenant_id === null && tenant_visibility !== 'rules')
      .map(({ id }) => id),
  );

/** What another policy asks for at a guest where it was applied. */
export type Placed = Pick<PlacementRow, 'policy_id' | 'drop_in' | 'drop_out' | 'applied_at'>;
type Known = { row: GuestFirewallRow; placements: readonly Placed[] };

/** The rules of the policy at the guest, in their order. */
export const selectPolicyRules = (policyId: string, { desired }: Pick<GuestWork, 'desired'>) =>
  (desired?.rules ?? []).filter((rule) => rule.policy_id === policyId);

/** Whether the policy asks for a default of dropping at the guest. */
export const getPolicyDrops = (policyId: string, { desired }: Pick<GuestWork, 'desired'>) => ({
  drop_in: desired?.drop_in.includes(policyId) ?? false,
  drop_out: desired?.drop_out.includes(policyId) ?? false,
});

/** Whether the policy wants a rule or a default at the guest. */
const isDesiredAt = (policyId: string, desired: DesiredGuest): boolean => {
  const { drop_in, drop_out } = getPolicyDrops(policyId, { desired });
  return drop_in || drop_out || selectPolicyRules(policyId, { desired }).length > 0;
};

/** The guests where the policy wants something now. */
export const listDesiredGuests = ({ guests }: Compiled, policyId: string): DesiredGuest[] =>
  guests.filter((desired) => isDesiredAt(policyId, desired));

/** A guest that no policy was ever applied to. */
export const toUntouchedRow = (workload_id: string): GuestFirewallRow => ({
  workload_id,
  lease_owner: null,
  lease_at: null,
  default_in_before: null,
  default_out_before: null,
  baseline: null,
  switches_written: null,
});

/** A guest that carries rules of this installation was not left like this by people: it is a clone, or was restored. */
export const isBeforeFabric = ({ rules }: GuestFilter, instance: string): boolean =>
  !rules.some(({ comment }) => parseMarker(comment)?.instance === instance);

/** What is stored for undoing what policies did to the switches of a guest. */
export const toGuestOrigin = ({ baseline, switches_written }: GuestFirewallRow): Origin => ({
  baseline,
  written: switches_written ?? NOTHING_WRITTEN,
});

/**
 * What applying, or cleaning up, one policy wants of a guest. Defaults follow from what the other policies had applied
 * there, not from what they want by now.
 */
export function intentFor(
  inputs: PolicyInputs,
  policyId: string,
  kind: 'apply' | 'cleanup',
  work: GuestWork,
  { row, placements }: Known,
): GuestIntent {
  const { workload } = work;
  const rules = kind === 'apply' ? selectPolicyRules(policyId, work) : [];
  const own = kind === 'apply' ? getPolicyDrops(policyId, work) : { drop_in: false, drop_out: false };
  const others = placements.filter((placement) => placement.policy_id !== policyId);
  const goal = (drop: boolean, dropping: readonly Placed[], before: 'ACCEPT' | 'REJECT' | null) => {
    if (drop) return 'drop';
    // What was not written completely may lack the rules that its default of dropping is meant for.
    if (dropping.some(({ applied_at }) => applied_at !== null)) return 'leave';
    return dropping.length > 0 || before === null ? 'keep' : ({ restore: before } as const);
  };
  const wants = rules.length > 0 || own.drop_in || own.drop_out;
  const referred = new Set(rules.flatMap(({ content }) => [content.source, content.dest]));
  return {
    instance: inputs.instance,
    vmid: workload.vmid,
    placement: inputs.clusters.get(workload.cluster_id)?.rule_placement ?? 'above',
    scope: new Set([policyId]),
    rules,
    sets: (work.desired?.sets ?? []).filter(({ name }) => referred.has(`+guest/${name}`)),
    order: getPolicyOrder(inputs),
    remove_strays: kind === 'apply',
    default_in: goal(
      own.drop_in,
      others.filter(({ drop_in }) => drop_in),
      row.default_in_before,
    ),
    default_out: goal(
      own.drop_out,
      others.filter(({ drop_out }) => drop_out),
      row.default_out_before,
    ),
    switch_on: wants,
    ...(isTenantPolicy(inputs, policyId) && { opaque: getOpaquePolicyIds(inputs) }),
    // Nothing of the policy stays, and nothing of another one is there.
    ...(!wants && others.length === 0 && { restore: toGuestOrigin(row) }),
  };
}

/** Nothing but the end of a log level that some rules of a policy have. */
export function intentToUnlog(
  inputs: PolicyInputs,
  policyId: string,
  work: GuestWork,
  known: Known,
  unlog: NonNullable<GuestIntent['unlog']>,
): GuestIntent {
  const { restore: _, ...intent } = intentFor(inputs, policyId, 'cleanup', work, known);
  return { ...intent, unlog };
}

const MAX_NAMED = 5;

const WHY: Record<string, string> = {
  invalid: 'cannot be read',
  not_found: 'does not exist',
  ambiguous: 'is ambiguous',
  empty: 'has no members',
  not_a_workload: 'is not a VM or container',
  template: 'is a template',
  no_address: 'has no known address',
};

const formatNameList = (items: readonly string[]) =>
  items.length > MAX_NAMED
    ? `${items.slice(0, MAX_NAMED).join(', ')} and ${items.length - MAX_NAMED} more`
    : items.join(', ');

/**
 * The enabled rules of a policy that map to no workload at all, in one sentence that names them and the endpoints that
 * cause this. Null when every rule is placed on some guest.
 */
export function unmappedRules(policy: CompilablePolicy, compiled: Compiled): DeploymentProblem | null {
  const placed = new Set(
    compiled.guests.flatMap(({ rules }) =>
      rules.filter(({ policy_id }) => policy_id === policy.id).map(({ rule_position }) => rule_position),
    ),
  );
  const unmapped = policy.rules.filter(({ enabled, position }) => enabled && !placed.has(position));
  if (unmapped.length === 0) return null;
  const rules = unmapped.map(({ position, action, protocol }) => `${position + 1} (${action} ${protocol})`);
  const endpoints = compiled.unresolved
    .filter(({ policy_id }) => policy_id === policy.id)
    .map(({ side, endpoint, reason }) => `${side} ${endpoint} ${WHY[reason] ?? reason}`);
  const unreadable = compiled.warnings.filter(
    (note) => note.policy_id === policy.id && note.code === 'icmp_type_unreadable',
  );
  const causes = [
    ...new Set([
      ...endpoints,
      ...unreadable.map(({ detail }) => `nodes with nftables cannot read the ICMP type ${detail}`),
    ]),
  ];
  const because = causes.length > 0 ? `: ${formatNameList(causes)}` : ': no address matches its protocol';
  return {
    code: 'rule_without_workload',
    message: `${unmapped.length === 1 ? 'Rule' : 'Rules'} ${formatNameList(rules)} could not be placed on any workload${because}.`,
    remedy:
      unreadable.length > 0
        ? 'Use another ICMP type, such as destination-unreachable, and correct the endpoints named here.'
        : 'Correct the endpoints of the policy. If the workloads are new, sync the cluster.',
  };
}
