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
  signedIn: "The caller's own notifications: those that they may read now, since their account was created.",
} as const;

export const notificationsRouter = router({
  list: query({
    rest: 'GET /notifications',
    summary: 'List your notifications, newest first.',
    access,
    input: NotificationListInput,
    output: NotificationPage,
    run: ({ session, input }) => listNotifications(session, input),
  }),
  unread: query({
    rest: 'GET /notifications/unread',
    summary: 'Count your unread notifications, up to 100.',
    access,
    output: UnreadNotifications,
    run: ({ session }) => countUnread(session),
  }),
  markRead: mutation({
    rest: 'POST /notifications/read',
    summary: 'Mark your notifications as read: some, or all through the newest one seen.',
    access: { permission: 'notification:mark' },
    input: MarkNotificationsRead,
    output: UnreadNotifications,
    run: ({ scope, session, input }) => markNotificationsRead(scope, session, input),
  }),
});
