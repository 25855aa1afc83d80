import type { ChangeEdit, ChangeItemInput } from '@/domain/change/items';
import { isWithinReach } from '@/domain/permissions';
import { authorize, type Scope, type Session } from '../../auth/scope';
import { db } from '../../db/client';
import { assertVersion, notFound, refuseField } from '../../lib/refusals';
import { objectNotFound } from '../changes/draft/item-context';
import { findUnresolvedDrift } from '../queries/drifts';
import { findPolicy } from '../queries/policies';
import { type AskedAdoption, buildAdoptions } from './build-adoptions';
import type { DriftDeciders } from './drift';

type Adoption = Extract<ChangeItemInput, { kind: 'adopt' }> & { readonly at: number };

/** What a policy becomes in one change must not depend on the order of the edits. @throws AppError `refused` */
function assertCombinable(adoptions: readonly Adoption[], edits: readonly ChangeEdit[]): void {
  const edited = new Set(edits.flatMap((edit) => ('policy_id' in edit ? [edit.policy_id] : [])));
  const kinds = new Map<string, Adoption['as']>();
  for (const { at, policy_id, as } of adoptions) {
    if (edited.has(policy_id)) {
      throw refuseField(
        `items.${at}.policy_id`,
        'Another edit of this change concerns this policy. Leave that edit out, or adopt the difference in a change of its own.',
      );
    }
    if ((kinds.get(policy_id) ?? as) !== as) {
      throw refuseField(
        `items.${at}.as`,
        'In one change, the differences of a policy become either its content for all its workloads, or exceptions.',
      );
    }
    kinds.set(policy_id, as);
  }
}

/** The answer is the same for a workload that does not exist, one that is not visible, and one without differences. */
async function findAsked({ write, apply }: DriftDeciders, adoptions: readonly Adoption[]): Promise<AskedAdoption[]> {
  for (const { at, policy_id, base_version } of adoptions) {
    const policy = await findPolicy(db, write.reach, policy_id);
    if (!policy) throw objectNotFound('policy', at);
    assertVersion('policy', policy.version, base_version, { policy_id });
  }
  const known = await findUnresolvedDrift(
    db,
    write.reach,
    adoptions.map(({ policy_id }) => policy_id),
    adoptions.map(({ workload_id }) => workload_id),
  );
  const permitted = known.filter((row) => isWithinReach(row, write.reach) && isWithinReach(row, apply.reach));
  return adoptions.map(({ at, as, policy_id, workload_id, drift_ids: ids }) => {
    const there = permitted.filter((row) => row.policy_id === policy_id && row.workload_id === workload_id);
    const rows = there.filter(({ id, status }) => (ids ? ids.includes(id) : status === 'open'));
    const field = `items.${at}.${ids ? 'drift_ids' : 'workload_id'}`;
    if (rows.length < (ids ? new Set(ids).size : 1)) {
      throw notFound('drift', [{ field, message: 'The policy has no such difference on this workload.' }]);
    }
    return { at, field, as, rows };
  });
}

/**
 * The edits of a change, with items `adopt` replaced by the edits of policies that they result in. Adopting requires the permission to
 * apply policies, too.
 * @throws AppError `forbidden`, `not_found`, `version_conflict`, `refused`, and as `buildAdoptions`, each naming the item
 */
export async function expandAdoptions(
  write: Scope<'policy:write'>,
  session: Session,
  items: readonly ChangeItemInput[],
): Promise<ChangeEdit[]> {
  const edits = items.flatMap((item, at): ChangeEdit[] => (item.kind === 'adopt' ? [] : [{ ...item, at }]));
  const adoptions = items.flatMap((item, at): Adoption[] => (item.kind === 'adopt' ? [{ ...item, at }] : []));
  if (adoptions.length === 0) return edits;
  assertCombinable(adoptions, edits);
  const deciders = { write, apply: authorize(session, 'policy:apply') };
  return [...edits, ...(await buildAdoptions(deciders, await findAsked(deciders, adoptions)))];
}
