import type { Page } from '@/domain/list';
import { computeReach, isWithinReach, toOwner } from '@/domain/permissions';
import type { Recertification, RecertificationConfirm, RecertificationListInput } from '@/domain/recertification';
import { recordAudit } from '../../audit/record';
import type { Scope, Session } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { assertVersion, notFound } from '../../lib/refusals';
import { storedSettings } from '../../settings/settings';
import { findPolicy, lockPolicy, type PolicyRow } from '../queries/policies';
import * as repository from '../queries/recertifications';

const readPeriod = async () => (await storedSettings(db)).policy_recertification_days;

/** One page of the policies that have to be confirmed once per period, as far as the caller sees them, the longest due first. */
export async function listRecertifications(
  { reach }: Scope<'policy:read'>,
  { user }: Session,
  { owner, ...input }: RecertificationListInput,
): Promise<Page<Recertification>> {
  return repository.listRecertifications(reach, await readPeriod(), {
    ...input,
    ...(owner !== undefined && { owner: owner === 'me' ? user.email : owner }),
  });
}

/**
 * @throws AppError `forbidden` for those who are not the owner; without an owner, and for API tokens of the owner, for those who may not
 * write the policy
 */
function assertMayConfirm({ user, grants, api_token }: Session, policy: PolicyRow): void {
  const isOwner = policy.owner === user.email;
  if (isOwner && !api_token) return;
  if (policy.owner !== '' && !isOwner) {
    throw new AppError('forbidden', `${policy.owner} owns this policy and confirms it. Change the owner first.`, {
      extra: { reason: 'not_the_owner' },
    });
  }
  if (isWithinReach(policy, computeReach(grants, 'policy:write'))) return;
  const permission = 'policy:write';
  const what = isOwner ? 'a policy with an API token' : 'a policy without an owner';
  throw new AppError('forbidden', `Confirming ${what} requires the permission ${permission}.`, {
    extra: { permission },
  });
}

/**
 * Confirms that a policy is still needed as it is stored; it is due again one period later.
 * @throws AppError `not_found`, `forbidden`, `version_conflict`; `conflict` where no period is set
 */
export async function confirmRecertification(
  scope: Scope<'policy:read'>,
  session: Session,
  id: string,
  { version, note }: RecertificationConfirm,
): Promise<Recertification> {
  const { reach } = scope;
  const period = await readPeriod();
  await db.transaction(async (tx) => {
    const row = (await findPolicy(tx, reach, id)) && (await lockPolicy(tx, reach, id));
    if (!row) throw notFound('policy');
    assertMayConfirm(session, row);
    assertVersion('policy', row.version, version);
    if (!(await repository.findRecertification(tx, reach, period, id))) {
      throw new AppError('conflict', 'Recertification is off for this policy. Set a period for its tenant first.', {
        extra: { reason: 'recertification_off' },
      });
    }
    const { actor } = scope;
    await repository.insertRecertification(tx, {
      ...{ policy_id: id, policy_version: row.version, note, confirmed_at: clock.now().toISOString() },
      ...{ user_id: session.user.id, user_name: actor.name },
    });
    await publishEvent(tx, { type: 'policy.changed', policy_id: id, ...toOwner(row) });
    await recordAudit(tx, scope, {
      ...{ action: 'policy.confirmed', object_kind: 'policy', object_id: id, object_name: row.name },
      ...{ tenant_id: row.tenant_id, after: { version: row.version, reason: note } },
    });
  });
  const confirmed = await repository.findRecertification(db, reach, period, id);
  if (!confirmed) throw notFound('policy');
  return confirmed;
}
