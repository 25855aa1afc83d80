import { z } from 'zod';
import { APPROVAL_SCOPES, SETTING_LIMITS as LIMITS, ON_EXPIRY } from './choices';
import { RecertificationPeriod } from './recertification';

const interval = ({ min, max }: { min: number; max: number }) =>
  z
    .int('A whole number of minutes.')
    .min(min, `At least ${min} minutes.`)
    .max(max, `At most ${max} minutes (one week).`);

const declared = <T extends z.ZodType>(type: T, initial: z.output<T>) => ({ type, initial });

/** What an administrator chooses: what each may be, and what it is at first. */
const DECLARED = {
  /** Flows older than this are deleted and never shown. */
  flow_retention_hours: declared(
    z
      .int('A whole number of hours.')
      .min(LIMITS.flow_retention_hours.min, 'At least 1 hour.')
      .max(LIMITS.flow_retention_hours.max, 'At most 8760 hours (one year).'),
    24,
  ),
  /** Audit records older than this are removed, and where the chain was cut is recorded; null keeps all of them. */
  audit_retention_days: declared(
    z
      .int('A whole number of days, or null to keep everything.')
      .min(LIMITS.audit_retention_days.min, 'At least 30 days.')
      .max(LIMITS.audit_retention_days.max, 'At most 3650 days (ten years).')
      .nullable(),
    null,
  ),
  /** How far back lists and pages can be shown as they were. */
  history_retention_days: declared(
    z
      .int('A whole number of days.')
      .min(LIMITS.history_retention_days.min, 'At least 1 day.')
      .max(LIMITS.history_retention_days.max, 'At most 730 days (two years).'),
    90,
  ),
  auto_node_sync_enabled: declared(z.boolean('One of true, false.'), true),
  auto_node_sync_interval_minutes: declared(interval(LIMITS.auto_node_sync_interval_minutes), 15),
  auto_ipam_sync_enabled: declared(z.boolean('One of true, false.'), true),
  auto_ipam_sync_interval_minutes: declared(interval(LIMITS.auto_ipam_sync_interval_minutes), 60),
  /** How many approvals every change needs; a tenant may require more. */
  change_approvals_required: declared(
    z
      .int('A whole number of approvals.')
      .min(LIMITS.change_approvals_required.min, 'At least 0.')
      .max(LIMITS.change_approvals_required.max, 'At most 5 approvals.'),
    0,
  ),
  /** What becomes of expired rules and policies of the installation; a tenant chooses for its own. */
  policy_on_expiry: declared(z.enum(ON_EXPIRY, 'One of report, remove.'), 'report'),
  /** How often policies of the installation have to be confirmed; null: never. A tenant chooses for its own. */
  policy_recertification_days: declared(RecertificationPeriod.nullable(), null),
  change_approval_scope: declared(z.enum(APPROVAL_SCOPES, 'One of enforcing, all.'), 'enforcing'),
};
type Declared = typeof DECLARED;
const entries = Object.entries(DECLARED);
const Editable = Object.fromEntries(entries.map(([name, { type }]) => [name, type])) as {
  [K in keyof Declared]: Declared[K]['type'];
};

/** What an administrator chose; stored under the key `runtime`. */
export const RuntimeChoices = z.object(Editable);
export type RuntimeChoices = z.infer<typeof RuntimeChoices>;

export const DEFAULT_RUNTIME_CHOICES = Object.fromEntries(
  entries.map(([name, { initial }]) => [name, initial]),
) as RuntimeChoices;

const Timestamp = z.iso.datetime().nullable();

/** When an automatic run last succeeded; stored under the key `auto_sync`, so that a run never collides with an edit. */
export const AutoSyncTimes = z.object({ last_node_auto_sync_at: Timestamp, last_ipam_auto_sync_at: Timestamp });
export type AutoSyncTimes = z.infer<typeof AutoSyncTimes>;

export const RuntimeSettingsRead = RuntimeChoices.extend(AutoSyncTimes.shape).extend({
  version: z.int(),
  updated_at: z.iso.datetime(),
});
export type RuntimeSettingsRead = z.infer<typeof RuntimeSettingsRead>;

/** Only the fields that change. With `version` the update is refused when someone else updated first. */
export const RuntimeSettingsUpdate = z.strictObject({ ...Editable, version: z.int().min(1) }).partial();
export type RuntimeSettingsUpdate = z.infer<typeof RuntimeSettingsUpdate>;
