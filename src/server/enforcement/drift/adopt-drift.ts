import type { Change, ChangeCreate } from '@/domain/change/change';
import type { DriftAdopt, DriftAdoption } from '@/domain/change/drift';
import { DEFAULT_CONFIRM_SECONDS } from '@/domain/choices';
import { buildAdoptItems } from '@/domain/drift/adopt';
import type { Difference } from '@/domain/drift/find-drift';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import { getOwnerId } from '@/domain/policy/acts-on';
import { resolveWorkloads } from '@/domain/policy/resolve';
import type { Session } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { createChange } from '../changes/draft/create-change';
import { normalizeItems } from '../changes/draft/normalize-items';
import { requestItemsImpact } from '../impact/request-impact';
import { compareDrift, hashLive } from '../policies/firewall-state/compare-drift';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { findPolicy, listPolicyRules } from '../queries/policies';
import { listAppliedAt } from '../queries/policy-placements';
import { type DriftDeciders, findDecidable } from './drift';

/** The difference, and others that are about the same rule: several live rules may be one rule of the policy. */
const selectSame = (all: readonly Difference[], one: Difference) =>
  one.rule_position === null
    ? [one]
    : all.filter(({ kind, rule_position }) => kind === one.kind && rule_position === one.rule_position);

/**
 * The change that makes a difference the content of the policy, for all its workloads or as an exception for this one.
 * @throws AppError `not_found`; `refused` when it is gone or policies cannot express it exactly; `conflict` when something else
 *   is live by now
 */
async function buildAdoption(deciders: DriftDeciders, id: string, { as }: DriftAdopt): Promise<ChangeCreate> {
  const { write: scope } = deciders;
  const [row] = await findDecidable(deciders, [id]);
  const policy = row && (await findPolicy(db, scope.reach, row.policy_id));
  if (!row || !policy) throw notFound('drift');
  const [firewall, placements, rules] = await Promise.all([
    readFirewallState(),
    listAppliedAt(db, [row.workload_id]),
    listPolicyRules(db, policy.id),
  ]);
  const workload = firewall.inputs.workloads.get(row.workload_id);
  const all = compareDrift(firewall, row.workload_id, placements).get(policy.id)?.differences ?? [];
  const one = all.find(({ kind, subject_key }) => kind === row.kind && subject_key === row.subject_key);
  if (!workload || !one || hashLive(one.live) !== row.live_hash) {
    throw new AppError('conflict', 'Something else is live on the workload by now. Reload the page.');
  }
  const ofPolicy = ({ policy_id }: { policy_id: string }) => policy_id === policy.id;
  const desired = firewall.desiredAt(workload.id)?.rules ?? [];
  const present = new Set([...desired, ...placements].map(({ policy_id }) => policy_id));
  const adopted = buildAdoptItems(
    {
      policy: { ...policy, rules },
      differences: selectSame(all, one),
      applied: placements.find(ofPolicy)?.rules ?? [],
      desired: desired.filter(ofPolicy),
      live: firewall.snapshots.guests.get(workload.id)?.state.rules ?? [],
      workload: { ...workload, cluster_name: row.cluster_name },
      resolve(endpoint) {
        const found = resolveWorkloads(endpoint, firewall.inputs.index, getOwnerId(policy));
        return 'reason' in found ? [] : found.map((one) => one.id);
      },
      others: firewall.inputs.policies.filter((other) => other.id !== policy.id && present.has(other.id)),
    },
    as,
  );
  if ('refusal' in adopted) throw new AppError('refused', adopted.refusal);
  const description = `Live on ${row.workload_name} (${row.vmid}): ${row.live ?? 'nothing'}`.slice(0, 2000);
  return {
    title: `Adopt ${row.subject} of ${row.policy_name}`.slice(0, 120).trim(),
    description,
    items: adopted.items,
    confirm_within_seconds: DEFAULT_CONFIRM_SECONDS,
    waves: { canaries: null, pause_seconds: null },
    on_failure: 'stop',
    rollback_on_failed_check: false,
    scheduled_at: null,
    within_maintenance: false,
  };
}

/** Drafts the change. @throws as `buildAdoption` and `createChange` */
export async function adoptDrift(
  deciders: DriftDeciders,
  session: Session,
  id: string,
  input: DriftAdopt,
): Promise<Change> {
  return createChange(deciders.write, session, await buildAdoption(deciders, id, input));
}

/** What `adoptDrift` would draft, and its impact. Nothing is drafted. @throws as `adoptDrift` */
export async function previewAdoption(
  deciders: DriftDeciders,
  session: Session,
  reader: ImpactReader,
  id: string,
  input: DriftAdopt,
): Promise<DriftAdoption> {
  const { title, items: inputs } = await buildAdoption(deciders, id, input);
  const { items } = await db.transaction((tx) =>
    normalizeItems({ tx, scope: deciders.write, session, former: [] }, inputs),
  );
  return { items, impact: await requestItemsImpact(reader, title, items) };
}
