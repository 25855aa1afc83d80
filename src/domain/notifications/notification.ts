import { z } from 'zod';
import { NOTIFICATION_EVENTS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { CONDITIONS } from './condition';

export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** More incidents than these are counted, not listed, where one notice is one message. */
export const MAX_ITEMS = 50;

/** Why an incident is over although its condition was not seen to end: its object was removed, left its cluster or tenant, or is a policy that no longer is enforced. */
const INCIDENT_END_REASONS = ['removed', 'left', 'not_enforced'] as const;
export type IncidentEndReason = (typeof INCIDENT_END_REASONS)[number];

/** One incident in a notice. */
export const NotificationItem = z.object({
  incident_id: z.uuid(),
  object_kind: z.string(),
  object_id: z.string().nullable(),
  object_name: z.string(),
  detail: z.string(),
  first_seen_at: z.iso.datetime(),
  opened_at: z.iso.datetime(),
  closed_at: z.iso.datetime().nullable(),
  flaps: z.int(),
  end_reason: z.enum(INCIDENT_END_REASONS).optional(),
});
export type NotificationItem = z.output<typeof NotificationItem>;

/** One notice as its reader sees it. */
export const Notification = z.object({
  id: z.uuid(),
  tenant_id: z.uuid().nullable(),
  rule_name: z.string().nullable(),
  event: z.enum(NOTIFICATION_EVENTS),
  condition: z.enum(CONDITIONS).nullable(),
  title: z.string(),
  detail: z.string(),
  items: z.array(NotificationItem),
  items_total: z.int(),
  unread: z.boolean(),
  created_at: z.iso.datetime(),
});
export type Notification = z.output<typeof Notification>;

export const NotificationListInput = listInput(['created_at'], {
  unread: z
    .union([z.boolean(), z.enum(['true', 'false'], 'One of true, false.').transform((text) => text === 'true')])
    .optional(),
});
export type NotificationListInput = z.output<typeof NotificationListInput>;
export const NotificationPage = createPageSchema(Notification);

export const UnreadNotifications = z.object({ unread: z.int() });
export type UnreadNotifications = z.output<typeof UnreadNotifications>;

/** These, or every one up to and including the one that was the newest when the reader looked. */
export const MarkNotificationsRead = z.union(
  [
    z.strictObject({ ids: z.array(z.uuid('The ID of a notification.')).min(1).max(500, 'At most 500 per request.') }),
    z.strictObject({ through: z.uuid('The ID of a notification.') }),
  ],
  { error: 'Send either ids (a list) or through (the ID of the newest notification that was seen).' },
);
export type MarkNotificationsRead = z.output<typeof MarkNotificationsRead>;
