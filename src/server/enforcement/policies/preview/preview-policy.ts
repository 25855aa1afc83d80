import type { PolicyPreview, PreviewInput } from '@/domain/policy-preview';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { notFound } from '../../../lib/refusals';
import { changeOwner } from '../../../tenancy/choose-owner';
import { findPolicy } from '../../queries/policies';
import { assertTier } from '../assert-tier';
import { readBoard } from '../board/read-board';
import { previewInWorld } from './preview-world';

/**
 * What applying a policy would do now; with changes to it, what applying would do if these were saved.
 * @throws AppError `not_found`, and what `changeOwner` throws
 */
export async function previewPolicy(
  scope: Scope<'policy:read'>,
  id: string,
  { definition, rules, priority, tier, project_id }: PreviewInput,
): Promise<PolicyPreview> {
  if (!(await findPolicy(db, scope.reach, id))) throw notFound('policy');
  const board = await readBoard();
  const stored = board.world.policies.find((policy) => policy.id === id);
  if (!stored) throw notFound('policy');
  const moves = project_id !== undefined && project_id !== stored.project_id;
  const owner = moves ? await db.transaction((tx) => changeOwner(tx, scope.reach, stored, project_id)) : stored;
  const changed =
    moves || definition !== undefined || rules !== undefined || priority !== undefined || tier !== undefined;
  const policy = {
    ...stored,
    project_id: owner.project_id,
    ...(definition && { definition }),
    ...(rules && { rules: rules.map((rule, position) => ({ ...rule, position })) }),
    ...(priority !== undefined && { priority }),
    ...(tier !== undefined && { tier }),
    // What is not saved would be the next version.
    version: changed ? stored.version + 1 : stored.version,
  };
  assertTier(policy.tenant_id, policy);
  return previewInWorld(board.world, policy, board.placesOf(id), id, scope.reach);
}
