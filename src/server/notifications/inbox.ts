import type { Page } from '@/domain/list';
import { CONDITION_PERMISSION, CONDITIONS } from '@/domain/notifications/condition';
import type {
  MarkNotificationsRead,
  Notification,
  NotificationListInput,
  UnreadNotifications,
} from '@/domain/notifications/notification';
import { MOST_UNREAD } from '@/domain/page-limits';
import { computeReach } from '@/domain/permissions';
import type { Scope, Session } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { clock } from '../lib/clock';
import * as repository from './queries/notifications';

/**
 * The owner of the inbox, with what they may be notified about now: notifications about policies are for users who may
 * see policies there. Users who see the whole installation are notified by its own rules; those of tenants are for the
 * tenants' users.
 */
function getInboxReader(session: Session): repository.InboxReader {
  const reach = CONDITIONS.map((condition) => ({
    condition,
    reach: computeReach(session.grants, CONDITION_PERMISSION[condition]),
  }));
  return { user_id: session.user.id, reach };
}

/** One page of the user's own notifications, newest first. */
export function listNotifications(session: Session, input: NotificationListInput): Promise<Page<Notification>> {
  return repository.listNotifications(getInboxReader(session), input);
}

/** How many of one's notices are unread; more than `MOST_UNREAD` are not counted. */
export async function countUnread(session: Session): Promise<UnreadNotifications> {
  return { unread: await repository.countUnread(getInboxReader(session), MOST_UNREAD) };
}

/**
 * Marks one's notices as read, for oneself alone. An API token marks what it may read itself, never the rest of its owner's inbox.
 * @returns how many are unread then
 */
export async function markNotificationsRead(
  _scope: Scope<'notification:mark'>,
  session: Session,
  input: MarkNotificationsRead,
): Promise<UnreadNotifications> {
  const reader = getInboxReader(session);
  const at = clock.now().toISOString();
  await db.transaction(async (tx) => {
    if ('ids' in input) await repository.markRead(tx, reader, input.ids, at);
    else if (session.api_token) await repository.markEachReadThrough(tx, reader, input.through, at);
    else await repository.markReadThrough(tx, reader, input.through, at);
    await publishEvent(tx, { type: 'notification.read', user_id: reader.user_id });
  });
  return countUnread(session);
}
