import { z } from 'zod';

const Interval = z
  .int('A whole number of minutes.')
  .min(5, 'At least 5 minutes.')
  .max(10_080, 'At most 10080 minutes (one week).');

const Editable = {
  /** Flows older than this are deleted and never shown. */
  flow_retention_hours: z
    .int('A whole number of hours.')
    .min(1, 'At least 1 hour.')
    .max(8760, 'At most 8760 hours (one year).'),
  /** Audit records older than this are removed, and where the chain was cut is recorded; null keeps all of them. */
  audit_retention_days: z
    .int('A whole number of days, or null to keep all.')
    .min(30, 'At least 30 days.')
    .max(3650, 'At most 3650 days (ten years).')
    .nullable(),
  auto_node_sync_enabled: z.boolean('true or false.'),
  auto_node_sync_interval_minutes: Interval,
  auto_ipam_sync_enabled: z.boolean('true or false.'),
  auto_ipam_sync_interval_minutes: Interval,
};

/** What an administrator chose; stored under the key `runtime`. */
export const RuntimeChoices = z.object(Editable);
export type RuntimeChoices = z.infer<typeof RuntimeChoices>;

export const DEFAULT_RUNTIME_CHOICES: RuntimeChoices = {
  flow_retention_hours: 24,
  audit_retention_days: null,
  auto_node_sync_enabled: true,
  auto_node_sync_interval_minutes: 15,
  auto_ipam_sync_enabled: true,
  auto_ipam_sync_interval_minutes: 60,
};

const Timestamp = z.iso.datetime().nullable();

/** When an automatic run last succeeded; stored under the key `auto_sync`, so that a run never collides with an edit. */
export const AutoSyncTimes = z.object({ last_node_auto_sync_at: Timestamp, last_ipam_auto_sync_at: Timestamp });
export type AutoSyncTimes = z.infer<typeof AutoSyncTimes>;

export const RuntimeSettingsRead = RuntimeChoices.extend(AutoSyncTimes.shape).extend({
  version: z.int(),
  updated_at: z.iso.datetime(),
});
export type RuntimeSettingsRead = z.infer<typeof RuntimeSettingsRead>;

/** Only the fields that change. With `version` the update is refused when somebody else was faster. */
export const RuntimeSettingsUpdate = z.strictObject({ ...Editable, version: z.int().min(1) }).partial();
export type RuntimeSettingsUpdate = z.infer<typeof RuntimeSettingsUpdate>;
