import {
  MarkNotificationsRead,
  NotificationListInput,
  NotificationPage,
  UnreadNotifications,
} from '@/domain/notifications/notification';
import { countUnread, listNotifications, markNotificationsRead } from '../../notifications/inbox';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Notifications');
const access = {
  signedIn: "The caller's own notices: what they may read now, of what happened since they joined.",
} as const;

export const notificationsRouter = router({
  list: query({
    rest: 'GET /notifications',
    summary: 'Your notices, newest first.',
    access,
    input: NotificationListInput,
    output: NotificationPage,
    run: ({ session, input }) => listNotifications(session, input),
  }),
  unread: query({
    rest: 'GET /notifications/unread',
    summary: 'How many of your notices are unread, counted up to 100.',
    access,
    output: UnreadNotifications,
    run: ({ session }) => countUnread(session),
  }),
  markRead: mutation({
    rest: 'POST /notifications/read',
    summary: 'Mark notices as read for yourself: some, or all through the newest that you saw.',
    access: { permission: 'notification:mark' },
    input: MarkNotificationsRead,
    output: UnreadNotifications,
    run: ({ scope, session, input }) => markNotificationsRead(scope, session, input),
  }),
});
