import { z } from 'zod';
import { RULE_SORTS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { DisplayName, Version } from '../tenant';
import { CONDITIONS } from './condition';
import { Thresholds } from './thresholds';

const Conditions = z
  .array(z.enum(CONDITIONS, `One of ${CONDITIONS.join(', ')}.`), 'A list of conditions.')
  .min(1, 'Choose at least one condition.')
  .transform((given) => CONDITIONS.filter((condition) => given.includes(condition)));

const DAY_MINUTES = 1440;
const Minutes = z
  .int('A whole number of minutes.')
  .min(0, 'At least 0 minutes.')
  .max(DAY_MINUTES, `At most ${DAY_MINUTES} minutes (one day).`);

/** A rule has few channels; each of them receives everything. */
const ChannelIds = z
  .array(z.uuid('The ID of a channel.'), 'A list of channel IDs.')
  .max(20, 'At most 20 channels.')
  .transform((ids) => [...new Set(ids)].sort());

export const NotificationRuleInput = z.strictObject({
  tenant_id: z.uuid('The ID of a tenant.').nullable().optional(),
  name: DisplayName,
  enabled: z.boolean('One of true, false.').default(true),
  conditions: Conditions,
  thresholds: Thresholds.default({}),
  open_after_minutes: Minutes.default(5),
  close_after_minutes: Minutes.default(5),
  notify_recovery: z.boolean('One of true, false.').default(true),
  in_app: z.boolean('One of true, false.').default(true),
  channel_ids: ChannelIds.default([]),
});
export type NotificationRuleInput = z.output<typeof NotificationRuleInput>;

/** What is left out stays. The tenant stays as it is. */
export const NotificationRuleUpdate = z.strictObject({
  name: DisplayName.optional(),
  enabled: z.boolean('One of true, false.').optional(),
  conditions: Conditions.optional(),
  thresholds: Thresholds.optional(),
  open_after_minutes: Minutes.optional(),
  close_after_minutes: Minutes.optional(),
  notify_recovery: z.boolean('One of true, false.').optional(),
  in_app: z.boolean('One of true, false.').optional(),
  channel_ids: ChannelIds.optional(),
  version: Version,
});
export type NotificationRuleUpdate = z.output<typeof NotificationRuleUpdate>;

/** What is reported, when, and where to. */
export const NotificationRule = z.object({
  id: z.uuid(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  name: z.string(),
  enabled: z.boolean(),
  conditions: z.array(z.enum(CONDITIONS)),
  /** Of conditions that have one; what is left out is at its default. */
  thresholds: Thresholds,
  open_after_minutes: z.int(),
  close_after_minutes: z.int(),
  notify_recovery: z.boolean(),
  in_app: z.boolean(),
  channels: z.array(z.object({ id: z.uuid(), name: z.string(), enabled: z.boolean() })),
  incidents_open: z.int(),
  version: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type NotificationRule = z.output<typeof NotificationRule>;

export const NotificationRuleListInput = listInput(RULE_SORTS, {
  condition: z.enum(CONDITIONS, `One of ${CONDITIONS.join(', ')}.`).optional(),
  channel_id: z.uuid('The ID of a channel.').optional(),
  tenant_id: z.union([z.uuid(), z.literal('none')], 'The ID of a tenant, or none.').optional(),
});
export type NotificationRuleListInput = z.output<typeof NotificationRuleListInput>;
export const NotificationRulePage = createPageSchema(NotificationRule);
