import {
  MarkNotificationsRead,
  NotificationListInput,
  NotificationPage,
  UnreadNotifications,
} from '@/domain/notifications/notification';
import { NotificationSettings, NotificationSettingsUpdate } from '@/domain/notifications/settings';
import { countUnread, listNotifications, markNotificationsRead } from '../../services/notifications/inbox';
import { readNotificationSettings, updateNotificationSettings } from '../../services/notifications/update-settings';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Notifications';
const access = {
  signedIn: "The caller's own notices: what they may read now, of what happened since they joined.",
} as const;

export const notificationRoutes = [
  defineRoute({
    method: 'GET',
    path: '/notifications',
    summary: 'Your notices, newest first.',
    tag,
    access,
    query: NotificationListInput,
    response: { status: 200, schema: NotificationPage },
    handler: ({ session, query }) => listNotifications(session, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/notifications/unread',
    summary: 'How many of your notices are unread, counted up to 100.',
    tag,
    access,
    response: { status: 200, schema: UnreadNotifications },
    handler: ({ session }) => countUnread(session),
  }),
  defineRoute({
    method: 'POST',
    path: '/notifications/read',
    summary: 'Mark notices as read for yourself: some, or all through the newest that you saw.',
    tag,
    access: { permission: 'notification:mark' },
    body: MarkNotificationsRead,
    response: { status: 200, schema: UnreadNotifications },
    handler: ({ scope, session, body }) => markNotificationsRead(scope, session, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/settings/notifications',
    summary: 'The mail server and the address of this service in notices.',
    tag,
    access: { permission: 'settings:read' },
    response: { status: 200, schema: NotificationSettings },
    handler: ({ scope }) => readNotificationSettings(scope),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/settings/notifications',
    summary: 'Change the mail server or the address in notices. Super administrators only.',
    tag,
    access: { permission: '*' },
    body: NotificationSettingsUpdate,
    response: { status: 200, schema: NotificationSettings },
    handler: ({ scope, body, request }) =>
      updateNotificationSettings(scope, { ...body, version: body.version ?? ifMatchVersion(request) }),
  }),
];
