import { setImmediate } from 'node:timers/promises';
import type { ChainCache } from '@/domain/hygiene/analyze-guest';
import type { HygieneCheck, NewFinding } from '@/domain/hygiene/finding';
import { formatPolicyRule, type HygieneSubject, RoleTally, SCORES, toFindingKey } from '@/domain/hygiene/role-tally';
import { compilePolicies } from '@/domain/policy/compile';
import { isExpired } from '@/domain/policy/responsibility';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { compileInputs, isDeployed, type PolicyInputs, policiesById } from '../policies/policy-inputs';
import type { StoredRule } from '../queries/hygiene';
import type { InputPolicy } from '../queries/policy-inputs';
import { readGuestRoles, toRuleKey } from './guest-roles';

export type Checked = { readonly findings: readonly NewFinding[]; readonly checks: readonly HygieneCheck[] };

/** IDs of rules by `toRuleKey`. */
export type RuleIds = ReadonlyMap<string, string>;
export const indexRules = (rules: readonly StoredRule[]): RuleIds =>
  new Map(rules.map(({ id, policy_id, position }) => [toRuleKey(policy_id, position), id]));

/** What is stored about every finding of a rule of a policy. */
export const aboutRule = (
  policy: Pick<InputPolicy, 'id' | 'version'>,
  rule: InputPolicy['rules'][number],
  ids: RuleIds,
): HygieneSubject => ({
  policy_id: policy.id,
  policy_version: policy.version,
  rule_id: ids.get(toRuleKey(policy.id, rule.position)) ?? null,
  rule_position: rule.position,
  subject: formatPolicyRule(rule),
  workload_id: null,
  action: rule.action,
});

/** Endpoints that resolve to nothing: of enabled policies, whether they are enforced or not. */
export function findUnresolved(inputs: PolicyInputs): NewFinding[] {
  const policies = policiesById(inputs.policies);
  const audited = inputs.policies.filter((policy) => policy.enabled && !isDeployed(policy));
  const unresolved = [
    ...compileInputs(inputs).unresolved,
    ...compilePolicies(audited, inputs.index, inputs.instance).unresolved,
  ];
  const found = new Map<string, NewFinding>();
  for (const { policy_id, side, endpoint, reason } of unresolved) {
    const policy = policies.get(policy_id);
    if (!policy) continue;
    const about = { policy_id, policy_version: policy.version, rule_id: null, rule_position: null, workload_id: null };
    const key = toFindingKey('unresolved', about, `${side} ${endpoint}`);
    const counts = { workloads_affected: 0, workloads_total: 0 };
    found.set(key, {
      ...about,
      ...counts,
      kind: 'unresolved',
      key,
      subject: endpoint,
      score: SCORES.unresolved,
      detail: { side, reason },
    });
  }
  return [...found.values()];
}

/** Rules and policies whose time is over, as long as they are enabled. */
export function findExpired(
  inputs: PolicyInputs,
  rules: readonly StoredRule[],
  times: ReadonlyMap<string, { readonly expires_at: string | null }>,
  now: number,
): NewFinding[] {
  const policies = policiesById(inputs.policies);
  const build = ({ action: _, ...about }: HygieneSubject, since: string | null): NewFinding => ({
    ...about,
    kind: 'expired',
    key: toFindingKey('expired', about),
    score: SCORES.expired,
    workloads_affected: 0,
    workloads_total: 0,
    detail: { since },
  });
  const ids = indexRules(rules);
  const ofRules = rules.flatMap(({ policy_id, position, expires_at }) => {
    const policy = policies.get(policy_id);
    const rule = policy?.rules.find((one) => one.position === position);
    if (!policy?.enabled || !rule?.enabled || !isExpired({ expires_at }, now)) return [];
    return [build(aboutRule(policy, rule, ids), expires_at)];
  });
  const ofPolicies = [...times].flatMap(([policy_id, { expires_at }]) => {
    const policy = policies.get(policy_id);
    if (!policy?.enabled || !isExpired({ expires_at }, now)) return [];
    const whole = { rule_id: null, rule_position: null, workload_id: null, action: 'accept' } as const;
    return [build({ policy_id, policy_version: policy.version, subject: policy.name, ...whole }, expires_at)];
  });
  return [...ofPolicies, ...ofRules];
}

/**
 * What is proven about the rules of all workloads as they were last read: shadowed, redundant and contradictory ones. Workloads are
 * analyzed one after the other; between them other work continues.
 */
export async function checkRules(
  firewall: FirewallState,
  ids: RuleIds,
  cache?: ChainCache,
  signal?: AbortSignal,
): Promise<Checked> {
  const { inputs } = firewall;
  const tallies = new Map<string, RoleTally>();
  for (const policy of inputs.policies.filter(isDeployed)) {
    for (const rule of policy.rules) {
      tallies.set(toRuleKey(policy.id, rule.position), new RoleTally(aboutRule(policy, rule, ids)));
    }
  }
  const findings: NewFinding[] = [];
  const checks: HygieneCheck[] = [];
  for (const workload of inputs.workloads.values()) {
    if (workload.template) continue;
    const roles = readGuestRoles(firewall, workload, cache);
    if (!roles) continue;
    const { managed, unmanaged, unknown, toWitness } = roles;
    for (const [key, role] of managed) tallies.get(key)?.add(workload.id, role, toWitness);
    for (const { subject, role } of unmanaged) {
      const tally = new RoleTally(subject);
      tally.add(workload.id, role, toWitness);
      findings.push(...tally.findings());
    }
    if (unknown) checks.push({ policy_id: null, workload_id: workload.id, unknown: { [unknown]: 1 } });
    await setImmediate();
    signal?.throwIfAborted();
  }
  for (const policy of inputs.policies.filter(isDeployed)) {
    const unknown: Record<string, number> = {};
    for (const { position } of policy.rules) {
      const tally = tallies.get(toRuleKey(policy.id, position));
      if (!tally) continue;
      findings.push(...tally.findings());
      for (const [reason, workloads] of Object.entries(tally.unknown)) {
        unknown[reason] = Math.max(unknown[reason] ?? 0, workloads ?? 0);
      }
    }
    if (Object.keys(unknown).length > 0) checks.push({ policy_id: policy.id, workload_id: null, unknown });
  }
  return { findings, checks };
}
