import type { PolicyCoverage } from '@/domain/coverage';
import { DAY_MS } from '@/domain/durations';
import {
  type FindingDetail,
  HYGIENE_DAYS,
  type HygieneCheck,
  LEAST_EVIDENCE,
  type NewFinding,
} from '@/domain/hygiene/finding';
import type { HygieneUnknown } from '@/domain/hygiene/kinds';
import { type HygieneSubject, MOST_WORKLOADS, SCORES, toFindingKey } from '@/domain/hygiene/role-tally';
import {
  createPolicyUse,
  findUnusedEndpoints,
  findUnusedPorts,
  type PolicyUse,
  type UsedEndpoint,
} from '@/domain/hygiene/rule-use';
import { getOwnerId } from '@/domain/policy/acts-on';
import { resolvePeers, resolveWorkloads } from '@/domain/policy/resolve';
import { systemScope } from '../../auth/scope';
import { clock } from '../../lib/clock';
import { readPolicyCoverage } from '../coverage/read-coverage';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { isDeployed, type PolicyInputs } from '../policies/policy-inputs';
import type { InputPolicy } from '../queries/policy-inputs';
import { aboutRule, type Checked, type RuleIds } from './check-rules';
import { findUseWindow, observeUse } from './observe-use';

/** Of a shorter time nothing is claimed about ports and endpoints. */
const LEAST_HOURS = 7 * 24;

type Subject = Omit<HygieneSubject, 'action'>;

const build = (
  kind: NewFinding['kind'],
  score: number,
  about: Subject & { action?: unknown },
  counts: { affected: number; total: number },
  detail: FindingDetail,
  more = '',
): NewFinding => {
  const { action: _, ...subject } = about;
  const { affected: workloads_affected, total: workloads_total } = counts;
  return {
    ...subject,
    kind,
    score,
    key: toFindingKey(kind, subject, more),
    workloads_affected,
    workloads_total,
    detail,
  };
};

const isObserved = ({ guests, evidence_score }: PolicyCoverage) =>
  guests.total > 0 && guests.looked_at === guests.total && (evidence_score ?? 0) >= LEAST_EVIDENCE;

/** Rules that allow what was not seen for days although it would have been, and rules that drop what is seen. */
function findByHits(policy: InputPolicy, coverage: PolicyCoverage, ids: RuleIds): NewFinding[] {
  const before = new Date(clock.now().getTime() - HYGIENE_DAYS * DAY_MS).toISOString();
  const { total } = coverage.guests;
  return coverage.rules.flatMap((counted) => {
    const rule = policy.rules.find(({ position }) => position === counted.position);
    if (!rule?.enabled) return [];
    const about = aboutRule(policy, rule, ids);
    const { never_hit_since: since, hits, last_hit_at, guests_hit } = counted;
    if (rule.action !== 'accept') {
      return hits > 0
        ? [build('denied', SCORES.denied, about, { affected: guests_hit, total }, { hits, last_hit_at })]
        : [];
    }
    const isUnused = since !== null && since <= before && isObserved(coverage);
    return isUnused ? [build('unused', SCORES.unused, about, { affected: total, total }, { since })] : [];
  });
}

function listEndpoints(
  { index, workloads }: PolicyInputs,
  policy: InputPolicy,
  texts: readonly string[],
): UsedEndpoint[] {
  const owner = getOwnerId(policy);
  return texts.flatMap((endpoint) => {
    const peers = resolvePeers(endpoint, index, owner);
    if (peers === 'any') return [];
    const found = resolveWorkloads(endpoint, index, owner);
    const members = 'reason' in found ? [] : found.flatMap(({ id }) => workloads.get(id) ?? []);
    const spans = 'reason' in peers ? { 4: [], 6: [] } : { 4: peers[4], 6: peers[6] };
    // What resolves to nothing is a finding of its own.
    if (members.length === 0 && 'reason' in peers) return [];
    return [{ endpoint, workloads: members, spans: members.length > 0 ? { 4: [], 6: [] } : spans }];
  });
}

/** Ports and endpoints of a policy that no conversation used. */
function findBroad(
  inputs: PolicyInputs,
  policy: InputPolicy,
  use: PolicyUse,
  total: number,
  since: string,
  ids: RuleIds,
): NewFinding[] {
  const findings: NewFinding[] = [];
  const counts = { affected: total, total };
  for (const rule of policy.rules) {
    if (!rule.enabled || rule.action !== 'accept') continue;
    const ports = findUnusedPorts(rule, use.ports.get(rule.position));
    if (ports)
      findings.push(build('broad', SCORES.broad, aboutRule(policy, rule, ids), counts, { ...ports, since }, 'ports'));
  }
  const about = {
    policy_id: policy.id,
    policy_version: policy.version,
    rule_id: null,
    rule_position: null,
    workload_id: null,
  };
  for (const side of ['source', 'target'] as const) {
    const texts = side === 'source' ? policy.definition.sources : policy.definition.targets;
    const unused = findUnusedEndpoints(listEndpoints(inputs, policy, texts), use[side]);
    const add = (list: readonly string[], more: string, own: FindingDetail) =>
      list.length > 0 &&
      findings.push(
        build(
          'broad',
          SCORES.broad,
          { ...about, subject: list.slice(0, 3).join(', ') },
          counts,
          {
            ...own,
            unused: list.slice(0, MOST_WORKLOADS),
            since,
          },
          `${more} ${side}`,
        ),
      );
    add(unused.endpoints, 'endpoints', { side });
    add(unused.members, 'members', {});
  }
  return findings;
}

/**
 * What traffic says about the rules of enforced policies. Nothing is claimed about what was not used where not all of the time was
 * observed, or where the policy was edited in this time.
 * @param times when policies were last edited
 */
export async function checkUse(
  firewall: FirewallState,
  ids: RuleIds,
  times: ReadonlyMap<string, { readonly updated_at: string }>,
  signal?: AbortSignal,
): Promise<Checked> {
  const { inputs } = firewall;
  const findings: NewFinding[] = [];
  const unknown = new Map<string, Partial<Record<HygieneUnknown, number>>>();
  const scope = systemScope('policy:read', 'rule hygiene');
  const window = await findUseWindow(HYGIENE_DAYS);
  const observed: { policy: InputPolicy; total: number; workloads: readonly string[] }[] = [];
  for (const policy of inputs.policies.filter(isDeployed)) {
    signal?.throwIfAborted();
    const coverage = await readPolicyCoverage(scope, policy.id, { days: HYGIENE_DAYS }).catch(() => null);
    // Deleted since.
    if (!coverage) continue;
    findings.push(...findByHits(policy, coverage, ids));
    const allows = policy.rules.some(({ enabled, action }) => enabled && action === 'accept');
    if (!allows || coverage.guests.total === 0) continue;
    if (!isObserved(coverage)) unknown.set(policy.id, { not_monitored: coverage.guests.total });
    else if ((times.get(policy.id)?.updated_at ?? window.until) <= window.since) {
      observed.push({ policy, total: coverage.guests.total, workloads: firewall.listPolicyWorkloads(policy.id) });
    }
  }
  if (window.hours >= LEAST_HOURS && observed.length > 0) {
    const places = [...new Set(observed.flatMap(({ workloads }) => workloads))];
    const { use, cut } = await observeUse(firewall, places, window, signal);
    for (const { policy, total, workloads } of observed) {
      const left = workloads.filter((id) => cut.has(id)).length;
      if (left > 0) unknown.set(policy.id, { ...unknown.get(policy.id), too_much_traffic: left });
      else
        findings.push(...findBroad(inputs, policy, use.get(policy.id) ?? createPolicyUse(), total, window.since, ids));
    }
  }
  const checks = [...unknown].map(
    ([policy_id, reasons]): HygieneCheck => ({ policy_id, workload_id: null, unknown: reasons }),
  );
  return { findings, checks };
}
