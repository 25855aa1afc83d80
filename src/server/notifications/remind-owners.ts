import type { Condition } from '@/domain/notifications/condition';
import { noticeText } from '@/domain/notifications/notice-text';
import { MAX_ITEMS, type NotificationItem } from '@/domain/notifications/notification';
import { computeReach, isWithinReach, type Owned, toOwner } from '@/domain/permissions';
import { findCredentials } from '../access/queries/users';
import { readUserSession } from '../access/sign-in/read-session';
import type { Session } from '../auth/scope';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { groupBy } from '../lib/group-by';
import { newId } from '../lib/ids';
import { readDueRecertifications, readExpiryNotices } from './facts/expiry-facts';
import { insertNotification, insertReminders, type NewReminder } from './queries/notifications';
import { notificationChanged } from './rules';

/** What an owner is reminded of. */
type Reminder = Omit<NewReminder, 'user_id'> & {
  readonly owner: string;
  readonly condition: Condition;
  readonly policy: Owned & { readonly id: string; readonly name: string };
  readonly detail: string;
};

async function listReminders(): Promise<Reminder[]> {
  const expiring = (await readExpiryNotices()).flatMap(({ policy, notices }) =>
    notices.map((notice) => ({ ...notice, condition: 'policy_expiring' as const, policy, policy_id: policy.id })),
  );
  const due = (await readDueRecertifications()).map((one) => ({
    ...{ ...one, condition: 'recertification_due' as const },
    ...{ policy_id: one.policy.id, subject_id: one.policy.id },
  }));
  return [...expiring, ...due];
}

/** An owner who has an account that is active; an address alone receives nothing. */
async function findOwner(email: string): Promise<Session | null> {
  const found = await findCredentials(email);
  return found?.active ? readUserSession(found.id, { request_id: found.id, source_address: null }) : null;
}

/** Stores what an owner was not reminded of before, in one notice for each tenant, project and condition. */
async function remind({ user, grants }: Session, reminders: readonly Reminder[]): Promise<void> {
  const reach = computeReach(grants, 'policy:read');
  const visible = reminders.filter(({ policy }) => isWithinReach(policy, reach));
  const at = clock.now().toISOString();
  for (const [, list] of groupBy(
    visible,
    ({ policy, condition }) => `${condition} ${policy.tenant_id} ${policy.project_id}`,
  )) {
    await db.transaction(async (tx) => {
      const rows = list.map(({ policy_id, subject_id, kind, due_at }) => ({
        ...{ id: newId(), policy_id, subject_id, kind, due_at, user_id: user.id },
      }));
      const fresh = new Set(await insertReminders(tx, rows));
      const items = list.flatMap(({ policy, detail }, n): NotificationItem[] => {
        const id = rows[n]?.id;
        if (id === undefined || !fresh.has(id)) return [];
        return [
          {
            ...{ incident_id: id, object_kind: 'policy', object_id: policy.id, object_name: policy.name, detail },
            ...{ first_seen_at: at, opened_at: at, closed_at: null, flaps: 0 },
          },
        ];
      });
      const [first] = list;
      if (!first || items.length === 0) return;
      const { condition, policy } = first;
      const text = noticeText(condition, 'opened', items, items.length);
      await insertNotification(tx, {
        ...{ id: newId(), ...toOwner(policy), user_id: user.id, event: 'opened', condition, ...text },
        ...{ items: items.slice(0, MAX_ITEMS), items_total: items.length, in_app: true, created_at: at },
      });
      await notificationChanged(tx, policy.tenant_id);
    });
  }
}

/**
 * Reminds the owners of policies and rules in the service itself, each once of each matter: before something expires and when it has, and
 * when a policy is due for recertification and when it is overdue. What an owner may not see is not mentioned.
 */
export async function remindOwners(): Promise<void> {
  const reminders = groupBy(
    (await listReminders()).filter(({ owner }) => owner !== ''),
    ({ owner }) => owner,
  );
  for (const [email, list] of reminders) {
    const session = await findOwner(email);
    if (session) await remind(session, list);
  }
}
