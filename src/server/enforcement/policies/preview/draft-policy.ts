import { DEFAULT_VISIBILITY, defaultTier } from '@/domain/policy/tier';
import type { DraftInput } from '@/domain/policy-preview';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { chooseOwner } from '../../../tenancy/choose-owner';
import type { WorldPolicy } from '../../queries/policy-world';
import { assertTier } from '../assert-tier';

/** Stands in markers of rules of a policy that has no id yet; no policy ever gets it. */
const DRAFT_ID = '00000000-0000-7000-8000-000000000000';

/** A policy that is not stored, as compiling needs it. @throws AppError `malformed` for a tenant or project that is not the caller's */
export async function draftPolicy(
  scope: Scope<'policy:read'>,
  { definition, rules, priority, tier: given, tenant_id, project_id }: DraftInput,
): Promise<WorldPolicy> {
  const owner = await db.transaction((tx) => chooseOwner(tx, scope.reach, { tenant_id, project_id }));
  const tenant = owner.tenant_id;
  const tiered = { tier: given ?? defaultTier(tenant), tenant_visibility: DEFAULT_VISIBILITY };
  assertTier(tenant, tiered);
  return {
    id: DRAFT_ID,
    name: '',
    enabled: true,
    version: 1,
    ...owner,
    ...tiered,
    priority,
    created_at: clock.now().toISOString(),
    definition,
    rules: rules.map((rule, position) => ({ ...rule, position })),
  };
}
