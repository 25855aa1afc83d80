import { DAY_MS } from '@/domain/durations';
import { listExpiryNotices } from '@/domain/notifications/expiring';
import type { TenantReach } from '@/domain/permissions';
import { EXPIRY_NOTICE_DAYS } from '@/domain/policy/expiry';
import { db } from '../../db/client';
import { listExpiring } from '../../enforcement/queries/expiries';
import { listDue } from '../../enforcement/queries/recertifications';
import { clock } from '../../lib/clock';
import { storedSettings } from '../../settings/settings';
import type { Collector } from './collect-findings';

/** Policies of which something expires within the time in which it is announced, with what is reported. */
export async function readExpiryNotices() {
  const now = clock.now().getTime();
  const until = now + EXPIRY_NOTICE_DAYS * DAY_MS;
  const policies = await listExpiring(db, new Date(until).toISOString());
  return policies.map((policy) => ({ policy, notices: listExpiryNotices(policy, now, until) }));
}

const isVisible = (reach: TenantReach, tenantId: string | null) =>
  reach === 'all' || (tenantId !== null && reach.includes(tenantId));

/** Visible policies and rules that expire soon, or have expired. */
export const collectExpiringPolicies: Collector = async (reach) => ({
  facts: (await readExpiryNotices())
    .filter(({ policy }) => isVisible(reach, policy.tenant_id))
    .flatMap(({ policy, notices }) =>
      notices.map(({ subject_id, detail }) => ({
        condition: 'policy_expiring',
        key: subject_id,
        object_kind: 'policy',
        object_id: policy.id,
        object_name: policy.name,
        detail,
      })),
    ),
});

/** Policies that were not confirmed in their period, with what is reported. */
export async function readDueRecertifications() {
  const { policy_recertification_days } = await storedSettings(db);
  return (await listDue(db, policy_recertification_days)).map(({ id, status, due_at, owner, ...policy }) => ({
    policy: { id, ...policy },
    owner,
    kind: status === 'overdue' ? ('overdue' as const) : ('due' as const),
    due_at,
    detail: `The policy is ${status} since ${due_at}. Confirm it, or remove it.`,
  }));
}

/** Visible policies that are due or overdue. */
export const collectDueRecertifications: Collector = async (reach) => ({
  facts: (await readDueRecertifications())
    .filter(({ policy }) => isVisible(reach, policy.tenant_id))
    .map(({ policy, detail }) => ({
      condition: 'recertification_due',
      key: policy.id,
      object_kind: 'policy',
      object_id: policy.id,
      object_name: policy.name,
      detail,
    })),
});
