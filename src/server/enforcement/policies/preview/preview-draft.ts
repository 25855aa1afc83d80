import type { DraftInput, PolicyPreview } from '@/domain/policy-preview';
import type { Scope } from '../../../auth/scope';
import { readBoard } from '../board/read-board';
import { draftPolicy } from './draft-policy';
import { previewInWorld } from './preview-world';

/** What applying a policy would do that is not stored yet. */
export async function previewDraft(scope: Scope<'policy:read'>, input: DraftInput): Promise<PolicyPreview> {
  const policy = await draftPolicy(scope, input);
  const { world } = await readBoard();
  return previewInWorld(world, policy, [], null, scope.reach);
}
