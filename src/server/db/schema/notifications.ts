import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import {
  CHANNEL_KINDS,
  CHANNEL_TEMPLATES,
  DELIVERY_STATUSES,
  INCIDENT_STATUSES,
  NOTIFICATION_EVENTS,
  REMINDER_KINDS,
} from '@/domain/choices';
import { CONDITIONS } from '@/domain/notifications/condition';
import type { NotificationItem } from '@/domain/notifications/notification';
import type { Thresholds } from '@/domain/notifications/thresholds';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { tenants, users } from './access';
import { policies } from './policies';

const ownerTenant = () => uuid().references(() => tenants.id, { onDelete: 'cascade' });

/** Where notices go. Its address and its signing secret are encrypted; see lib/crypto. */
export const notificationChannels = pgTable(
  'notification_channels',
  {
    id: primaryId(),
    /** Null: belongs to the installation. Never changes. */
    tenant_id: ownerTenant(),
    name: text().notNull(),
    kind: text({ enum: CHANNEL_KINDS }).notNull(),
    enabled: boolean().notNull().default(true),
    /** Webhooks: the format of the body. */
    template: text({ enum: CHANNEL_TEMPLATES }).notNull().default('fabric'),
    /** Of the times in messages; null: that of the installation. */
    time_zone: text(),
    /** Webhooks: scheme and host, which may be shown. */
    url_origin: text(),
    /** The whole URL: its path often is the secret. */
    url_encrypted: text(),
    signing_secret_encrypted: text(),
    /** The secret before a rotation, with which deliveries are signed as well until the time beside it. */
    previous_secret_encrypted: text(),
    previous_secret_until: timestamptz(),
    /** Names the key of all three. */
    secret_key_id: text(),
    /** Email. */
    recipients: text().array().notNull().default(sql`'{}'`),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('notification_channels_name_key').on(t.tenant_id, t.name).nullsNotDistinct(),
    check(
      'notification_channels_template',
      sql`${t.template} in ('fabric', 'slack', 'teams', 'pagerduty', 'alertmanager')`,
    ),
    check('notification_channels_kind', sql`${t.kind} in ('webhook', 'email')`),
    check(
      'notification_channels_webhook',
      sql`(${t.kind} = 'webhook') = (${t.url_encrypted} is not null and ${t.url_origin} is not null
        and ${t.signing_secret_encrypted} is not null and ${t.secret_key_id} is not null)`,
    ),
    check(
      'notification_channels_previous',
      sql`(${t.previous_secret_encrypted} is null) = (${t.previous_secret_until} is null)
        and (${t.previous_secret_encrypted} is null or ${t.kind} = 'webhook')`,
    ),
    check('notification_channels_email', sql`(${t.kind} = 'email') = (cardinality(${t.recipients}) > 0)`),
  ],
);

/** What is reported, when, and where to. */
export const notificationRules = pgTable(
  'notification_rules',
  {
    id: primaryId(),
    /** Null: covers the whole installation; else only this tenant's objects. Never changes. */
    tenant_id: ownerTenant(),
    name: text().notNull(),
    enabled: boolean().notNull().default(true),
    conditions: text({ enum: CONDITIONS }).array().notNull(),
    /** Numbers by condition; see domain/notifications/thresholds. */
    thresholds: jsonb().$type<Thresholds>().notNull().default({}),
    /** Opens once this much time has passed since the condition was first seen and it holds. */
    open_after_minutes: integer().notNull(),
    /** Closes, or is forgotten, once it was not seen for so long. */
    close_after_minutes: integer().notNull(),
    notify_recovery: boolean().notNull().default(true),
    in_app: boolean().notNull().default(true),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('notification_rules_name_key').on(t.tenant_id, t.name).nullsNotDistinct(),
    check('notification_rules_conditions', sql`cardinality(${t.conditions}) > 0`),
    check('notification_rules_minutes', sql`${t.open_after_minutes} >= 0 and ${t.close_after_minutes} >= 0`),
  ],
);

export const notificationRuleChannels = pgTable(
  'notification_rule_channels',
  {
    rule_id: uuid()
      .notNull()
      .references(() => notificationRules.id, { onDelete: 'cascade' }),
    channel_id: uuid()
      .notNull()
      .references(() => notificationChannels.id),
  },
  (t) => [
    primaryKey({ name: 'notification_rule_channels_pair', columns: [t.rule_id, t.channel_id] }),
    index('notification_rule_channels_channel_idx').on(t.channel_id),
  ],
);

/** That a condition holds for one object, as one rule counts it. At most one of them is not closed. */
export const notificationIncidents = pgTable(
  'notification_incidents',
  {
    id: primaryId(),
    rule_id: uuid()
      .notNull()
      .references(() => notificationRules.id, { onDelete: 'cascade' }),
    condition: text({ enum: CONDITIONS }).notNull(),
    /** What makes it the same when it is seen again. */
    key: text().notNull(),
    object_kind: text().notNull(),
    object_id: text(),
    object_name: text().notNull(),
    detail: text().notNull(),
    status: text({ enum: INCIDENT_STATUSES }).notNull(),
    first_seen_at: timestamptz().notNull(),
    /** Since when it is not seen any more; null while it is. */
    clear_since: timestamptz(),
    /** How often it went away and came back while it was open. */
    flaps: integer().notNull().default(0),
    opened_at: timestamptz(),
    closed_at: timestamptz(),
    updated_at: timestampNow(),
  },
  (t) => [
    uniqueIndex('notification_incidents_one_active')
      .on(t.rule_id, t.condition, t.key)
      .where(sql`status in ('pending', 'open')`),
    index('notification_incidents_status_idx').on(t.status, t.id),
    index('notification_incidents_closed_idx').on(t.closed_at).where(sql`closed_at is not null`),
    check('notification_incidents_status', sql`${t.status} in ('pending', 'open', 'closed')`),
    check('notification_incidents_opened', sql`(${t.opened_at} is not null) = (${t.status} <> 'pending')`),
    check('notification_incidents_closed', sql`(${t.closed_at} is not null) = (${t.status} = 'closed')`),
  ],
);

/** One notice, as it is read in the service and sent to channels. Names are as of then; it outlives rule and incident. */
export const notifications = pgTable(
  'notifications',
  {
    id: primaryId(),
    tenant_id: ownerTenant(),
    /** Only for this person: a test that they asked for, or a reminder of what they own. */
    user_id: uuid().references(() => users.id, { onDelete: 'cascade' }),
    /** Of a reminder: the project of its policies. */
    project_id: uuid(),
    rule_id: uuid().references(() => notificationRules.id, { onDelete: 'set null' }),
    rule_name: text(),
    event: text({ enum: NOTIFICATION_EVENTS }).notNull(),
    condition: text({ enum: CONDITIONS }),
    title: text().notNull(),
    detail: text().notNull(),
    /** The incidents that it reports; older notices have the first 50 of `items_total`. */
    items: jsonb().$type<NotificationItem[]>().notNull(),
    items_total: integer().notNull(),
    in_app: boolean().notNull(),
    created_at: timestampNow(),
  },
  (t) => [
    index('notifications_tenant_idx').on(t.tenant_id, t.id),
    index('notifications_user_idx').on(t.user_id).where(sql`user_id is not null`),
    index('notifications_rule_idx').on(t.rule_id),
    index('notifications_created_idx').on(t.created_at),
    check('notifications_event', sql`${t.event} in ('opened', 'closed', 'test')`),
    check('notifications_condition', sql`(${t.condition} is null) = (${t.event} = 'test')`),
  ],
);

/** Which notices a user has read one by one. */
export const notificationReads = pgTable(
  'notification_reads',
  {
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    notification_id: uuid()
      .notNull()
      .references(() => notifications.id, { onDelete: 'cascade' }),
    read_at: timestampNow(),
  },
  (t) => [
    primaryKey({ name: 'notification_reads_pair', columns: [t.user_id, t.notification_id] }),
    index('notification_reads_notification_idx').on(t.notification_id),
  ],
);

/** Up to which notice (ids sort by time) a user has read everything. */
export const notificationMarks = pgTable('notification_marks', {
  user_id: uuid()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  read_through: uuid().notNull(),
  updated_at: timestampNow(),
});

/** One notice to one channel: exactly one row, retried until it is sent or has failed permanently. */
export const notificationDeliveries = pgTable(
  'notification_deliveries',
  {
    id: primaryId(),
    notification_id: uuid()
      .notNull()
      .references(() => notifications.id, { onDelete: 'cascade' }),
    tenant_id: ownerTenant(),
    channel_id: uuid().references(() => notificationChannels.id, { onDelete: 'set null' }),
    channel_name: text().notNull(),
    channel_kind: text({ enum: CHANNEL_KINDS }).notNull(),
    status: text({ enum: DELIVERY_STATUSES }).notNull(),
    attempts: integer().notNull().default(0),
    /** How many of the notice's incidents the receiver accepted, where it is sent them one by one: the next attempt continues there. */
    items_sent: integer().notNull().default(0),
    /** When it is due; null when it is over. */
    next_attempt_at: timestamptz(),
    /** Who sends it now, and since when: without an end it is taken over. */
    lease_owner: uuid(),
    lease_at: timestamptz(),
    /** HTTP or SMTP status of the last answer. */
    response_status: integer(),
    error: text(),
    /** Mail: recipients that have it, while others were refused for a time. */
    reached: text().array().notNull().default(sql`'{}'`),
    created_at: timestampNow(),
    finished_at: timestamptz(),
  },
  (t) => [
    unique('notification_deliveries_once').on(t.notification_id, t.channel_id),
    index('notification_deliveries_due_idx').on(t.next_attempt_at).where(sql`status in ('queued', 'sending')`),
    index('notification_deliveries_tenant_idx').on(t.tenant_id, t.id),
    index('notification_deliveries_channel_idx').on(t.channel_id, t.id),
    check('notification_deliveries_status', sql`${t.status} in ('queued', 'sending', 'sent', 'failed')`),
    check(
      'notification_deliveries_finished',
      sql`(${t.finished_at} is not null) = (${t.status} in ('sent', 'failed'))`,
    ),
    check('notification_deliveries_due', sql`(${t.next_attempt_at} is null) = (${t.status} in ('sent', 'failed'))`),
  ],
);

/** What the settings of notifications keep encrypted, by what it is: `smtp_password`. See lib/crypto. */
export const notificationSecrets = pgTable('notification_secrets', {
  id: text().primaryKey(),
  value_encrypted: text().notNull(),
  secret_key_id: text().notNull(),
  updated_at: timestampNow(),
});

/** Reminders that were sent to the owners of policies and rules: each once. */
export const ownerReminders = pgTable(
  'owner_reminders',
  {
    id: primaryId(),
    policy_id: uuid()
      .notNull()
      .references(() => policies.id, { onDelete: 'cascade' }),
    /** The policy, or one of its rules. */
    subject_id: uuid().notNull(),
    kind: text({ enum: REMINDER_KINDS }).notNull(),
    /** What it reminds of: another time is another reminder. */
    due_at: timestamptz().notNull(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    created_at: timestampNow(),
  },
  (t) => [
    unique('owner_reminders_once').on(t.policy_id, t.subject_id, t.kind, t.due_at, t.user_id),
    index('owner_reminders_user_idx').on(t.user_id),
    check('owner_reminders_kind', sql`${t.kind} in ('expiring', 'expired', 'due', 'overdue')`),
  ],
);
