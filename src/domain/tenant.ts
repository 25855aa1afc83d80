import { z } from 'zod';
import { MAX_APPROVALS } from './change/approval';
import { MAX_WINDOWS, MaintenanceWindow } from './change/maintenance';
import { APPROVAL_SCOPES, ON_EXPIRY } from './choices';
import { createPageSchema, listInput } from './list';
import { RecertificationPeriod } from './recertification';

/** A name for people: one line, no control characters. */
export const DisplayName = z
  .string('Enter the name as text.')
  .normalize('NFC')
  .trim()
  .min(1, 'Enter a name.')
  .max(100, 'At most 100 characters.')
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'Printable characters only.');

export const Description = z.string('Enter the description as text.').trim().max(2000, 'At most 2000 characters.');

/** The version that was read; when it is no longer current, nothing is changed. */
export const Version = z.int('The version as a whole number.').min(1).optional();

/** Whether the tenant's rules stay when a mapping rule assigns a workload elsewhere. Manual moves remove them. */
const OnMove = z.enum(['remove', 'keep'], 'One of remove, keep.');

/** What becomes of expired rules and policies. */
const OnExpiry = z.enum(ON_EXPIRY, 'One of report, remove.');

/** How often policies have to be confirmed; null: never. */
const RecertificationDays = RecertificationPeriod.nullable();

/** When changes to the tenant's rules need approval, and when they may be applied. */
const changeRule = {
  approvals_required: z
    .int('A whole number of approvals.')
    .min(0, 'At least 0.')
    .max(MAX_APPROVALS, `At most ${MAX_APPROVALS} approvals.`),
  approval_scope: z.enum(APPROVAL_SCOPES, 'One of enforcing, all.'),
  maintenance_windows: z
    .array(MaintenanceWindow, 'A list of maintenance windows.')
    .max(MAX_WINDOWS, `At most ${MAX_WINDOWS} maintenance windows.`),
};
const givenRule = {
  approvals_required: changeRule.approvals_required.optional(),
  approval_scope: changeRule.approval_scope.optional(),
  maintenance_windows: changeRule.maintenance_windows.optional(),
};

export const TenantInput = z.strictObject({
  name: DisplayName,
  description: Description.default(''),
  on_move: OnMove.optional(),
  on_expiry: OnExpiry.optional(),
  recertification_days: RecertificationDays.optional(),
  ...givenRule,
});
export type TenantInput = z.output<typeof TenantInput>;

export const TenantUpdate = z.strictObject({
  name: DisplayName.optional(),
  description: Description.optional(),
  on_move: OnMove.optional(),
  on_expiry: OnExpiry.optional(),
  recertification_days: RecertificationDays.optional(),
  ...givenRule,
  version: Version,
});
export type TenantUpdate = z.output<typeof TenantUpdate>;

export const TenantCounts = z.object({
  projects: z.int(),
  workloads: z.int(),
  /** Users with a role for this tenant alone. */
  users: z.int(),
  security_groups: z.int(),
  policies: z.int(),
});

/** An organization or team whose members see only their own part. */
export const Tenant = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  on_move: OnMove,
  on_expiry: OnExpiry,
  recertification_days: RecertificationDays,
  ...changeRule,
  counts: TenantCounts,
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Tenant = z.output<typeof Tenant>;

export const TENANT_SORTS = ['name', 'created_at', 'updated_at'] as const;
export const TenantListInput = listInput(TENANT_SORTS, {});
export type TenantListInput = z.output<typeof TenantListInput>;
export const TenantPage = createPageSchema(Tenant);
