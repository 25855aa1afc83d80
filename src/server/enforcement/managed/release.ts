import type { Policy } from '@/domain/policies';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import type { SecurityGroup } from '@/domain/security-group';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { assertNoRollout } from '../changes/rollout/guard';
import { describePolicy } from '../policies/change-policy';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { describeTest } from '../policy-tests/describe-test';
import { lockOwnTest } from '../policy-tests/policy-tests';
import { lockPolicy } from '../queries/policies';
import { findPolicyTest } from '../queries/policy-tests';
import { findSecurityGroup, lockSecurityGroup } from '../queries/security-groups';
import { changeManager } from './managed';

type Lockable = Parameters<typeof changeManager>[3];
type ReleaseScope = Scope<'policy:write'> | Scope<'group:write'> | Scope<'policy_test:write'>;

/** Makes an object that is managed as code an ordinary one. One that is not managed stays as it is. */
const release = (
  scope: ReleaseScope,
  kind: Parameters<typeof changeManager>[2],
  lock: (tx: Tx) => Promise<Lockable>,
): Promise<void> =>
  db.transaction(async (tx) => {
    const row = await lock(tx);
    if (!row.managed_by) return;
    await assertNoRollout(tx, [row.id]);
    await changeManager(tx, scope, kind, row, null);
  });

/**
 * Releases a policy: from then on it is edited as every other, until its source is applied again.
 * @throws AppError `not_found`; `conflict` while a change with it is rolled out
 */
export async function releasePolicy(scope: Scope<'policy:write'>, id: string): Promise<Policy> {
  await release(scope, 'policy', async (tx) => {
    const row = await lockPolicy(tx, scope.reach, id);
    if (!row) throw notFound('policy');
    return row;
  });
  return describePolicy(scope.reach, id);
}

/** Releases a group. @throws AppError as `releasePolicy` */
export async function releaseSecurityGroup(scope: Scope<'group:write'>, id: string): Promise<SecurityGroup> {
  await release(scope, 'security_group', async (tx) => {
    const row = await lockSecurityGroup(tx, scope.reach, id);
    if (!row) throw notFound('group');
    return row;
  });
  const group = await findSecurityGroup(db, scope.reach, id);
  if (!group) throw notFound('group');
  return group;
}

/** Releases a policy test. @throws AppError as `releasePolicy`; `forbidden` for a protected connection */
export async function releasePolicyTest(scope: Scope<'policy_test:write'>, id: string): Promise<PolicyTest> {
  await release(scope, 'policy_test', (tx) => lockOwnTest(tx, scope.reach, id));
  const test = await findPolicyTest(db, scope.reach, id);
  if (!test) throw notFound('policy test');
  return describeTest(await readFirewallState(), scope.reach, test);
}
