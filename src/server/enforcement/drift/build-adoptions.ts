import type { ChangeEdit } from '@/domain/change/items';
import { type AdoptPlace, buildAdoptEdits } from '@/domain/drift/adopt';
import type { Difference } from '@/domain/drift/find-drift';
import type { PolicySummary } from '@/domain/policies';
import { getOwnerId } from '@/domain/policy/acts-on';
import { resolveWorkloads } from '@/domain/policy/resolve';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { groupBy } from '../../lib/group-by';
import { notFound, refuseField } from '../../lib/refusals';
import { compareDrift, hashLive } from '../policies/firewall-state/compare-drift';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import type { FoundDriftRow } from '../queries/drifts';
import { findPolicy, listPolicyRules } from '../queries/policies';
import { type AppliedPolicy, listAppliedAt } from '../queries/policy-placements';
import type { DriftDeciders } from './drift';

/**
 * Differences of one policy at one workload that are to be adopted. @property at the item of the request, or its place among what
 * is asked for @property field of the request, which refusals name
 */
export type AskedAdoption = {
  readonly at: number;
  readonly field: string;
  readonly as: 'policy' | 'exception';
  readonly rows: readonly FoundDriftRow[];
};

type Read = { readonly firewall: FirewallState; readonly placements: ReadonlyMap<string, readonly AppliedPolicy[]> };

/** The differences, with others that are about the same rule: several live rules may be one rule of the policy. */
function selectDifferences(
  all: readonly Difference[],
  rows: readonly FoundDriftRow[],
  field: string,
): readonly Difference[] {
  const asked = rows.map((row) => {
    const found = all.find(({ kind, subject_key }) => kind === row.kind && subject_key === row.subject_key);
    if (found && hashLive(found.live) === row.live_hash) return found;
    const message = `Something else is live on ${row.workload_name} by now.`;
    throw new AppError('conflict', `${message} Reload the page.`, { errors: [{ field, message }] });
  });
  const isSame = (one: Difference, other: Difference) =>
    one.kind === other.kind && one.rule_position !== null && one.rule_position === other.rule_position;
  return all.filter((one) => asked.some((other) => one === other || isSame(one, other)));
}

function toPlace(
  { firewall, placements }: Read,
  policy: PolicySummary,
  rows: readonly FoundDriftRow[],
  field: string,
): AdoptPlace {
  const [row] = rows;
  const workload = firewall.inputs.workloads.get(row?.workload_id ?? '');
  if (!row || !workload) throw notFound('drift', [{ field, message: 'The workload was not found.' }]);
  const applied = placements.get(workload.id) ?? [];
  const all = compareDrift(firewall, workload.id, applied).get(policy.id)?.differences ?? [];
  const ofPolicy = ({ policy_id }: { policy_id: string }) => policy_id === policy.id;
  const desired = firewall.desiredAt(workload.id)?.rules ?? [];
  const present = new Set([...desired, ...applied].map(({ policy_id }) => policy_id));
  return {
    differences: selectDifferences(all, rows, field),
    applied: applied.find(ofPolicy)?.rules ?? [],
    desired: desired.filter(ofPolicy),
    live: firewall.snapshots.guests.get(workload.id)?.state.rules ?? [],
    workload: { ...workload, cluster_name: row.cluster_name },
    others: firewall.inputs.policies.filter((other) => other.id !== policy.id && present.has(other.id)),
  };
}

/** The edits of one policy, each at the first of the places that it is for. */
async function buildPolicyEdits(
  read: Read,
  policy: PolicySummary,
  asked: readonly [AskedAdoption, ...AskedAdoption[]],
): Promise<ChangeEdit[]> {
  const [{ as, at }] = asked;
  const byWorkload = [...groupBy(asked, ({ rows }) => rows[0]?.workload_id).values()];
  const places = byWorkload.map((same) => {
    const rows = same.flatMap((one) => one.rows);
    return toPlace(read, policy, rows, same[0]?.field ?? '');
  });
  const rules = await listPolicyRules(db, policy.id);
  const resolve = (endpoint: string) => {
    const found = resolveWorkloads(endpoint, read.firewall.inputs.index, getOwnerId(policy));
    return 'reason' in found ? [] : found.map(({ id }) => id);
  };
  const adopted = buildAdoptEdits({ policy: { ...policy, rules }, places, resolve }, as);
  if ('refusal' in adopted) throw refuseField(byWorkload[adopted.place]?.[0]?.field ?? '', adopted.refusal);
  return adopted.edits.map((edit) => {
    const from = edit.adopted_from?.[0]?.id;
    return { ...edit, at: asked.find(({ rows }) => rows[0]?.workload_id === from)?.at ?? at };
  });
}

/**
 * The edits that make differences the content of policies, for all their workloads or as exceptions. All of one policy become one edit
 * of it.
 * @param asked of policies that the caller may write and apply; of one policy, all become the same
 * @throws AppError `not_found`; `refused` when policies cannot express them exactly; `conflict` when something else is live by now
 */
export async function buildAdoptions({ write }: DriftDeciders, asked: readonly AskedAdoption[]): Promise<ChangeEdit[]> {
  const workloads = new Set(asked.flatMap(({ rows }) => rows.map(({ workload_id }) => workload_id)));
  const [firewall, placements] = await Promise.all([readFirewallState(), listAppliedAt(db, [...workloads])]);
  const read = { firewall, placements: groupBy(placements, ({ workload_id }) => workload_id) };
  const edits: ChangeEdit[] = [];
  for (const [policyId, [first, ...more]] of groupBy(asked, ({ rows }) => rows[0]?.policy_id ?? '')) {
    const policy = await findPolicy(db, write.reach, policyId);
    if (!first || !policy) throw notFound('drift');
    edits.push(...(await buildPolicyEdits(read, policy, [first, ...more])));
  }
  return edits;
}
