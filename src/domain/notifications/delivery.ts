import { z } from 'zod';
import { CHANNEL_KINDS, DELIVERY_SORTS, DELIVERY_STATUSES, NOTIFICATION_EVENTS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { CONDITIONS } from './condition';

/** One notice to one channel. */
export const NotificationDelivery = z.object({
  id: z.uuid(),
  notification_id: z.uuid(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  /** Null: the channel was deleted. */
  channel_id: z.uuid().nullable(),
  channel_name: z.string(),
  channel_kind: z.enum(CHANNEL_KINDS),
  rule_name: z.string().nullable(),
  event: z.enum(NOTIFICATION_EVENTS),
  condition: z.enum(CONDITIONS).nullable(),
  title: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.int(),
  next_attempt_at: z.iso.datetime().nullable(),
  /** HTTP or SMTP status of the last answer; null when there was none. */
  response_status: z.int().nullable(),
  /** Why the last try failed. */
  error: z.string().nullable(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
});
export type NotificationDelivery = z.output<typeof NotificationDelivery>;

export const NotificationDeliveryListInput = listInput(DELIVERY_SORTS, {
  status: z.enum(DELIVERY_STATUSES, `One of ${DELIVERY_STATUSES.join(', ')}.`).optional(),
  event: z.enum(NOTIFICATION_EVENTS, `One of ${NOTIFICATION_EVENTS.join(', ')}.`).optional(),
  channel_id: z.uuid('The ID of a channel.').optional(),
  tenant_id: z.union([z.uuid(), z.literal('none')], 'The ID of a tenant, or none.').optional(),
});
export type NotificationDeliveryListInput = z.output<typeof NotificationDeliveryListInput>;
export const NotificationDeliveryPage = createPageSchema(NotificationDelivery);
