import { z } from 'zod';
import { RECERTIFICATION_PERIODS, RECERTIFICATION_SORTS, RECERTIFICATION_STATUSES } from './choices';
import { createPageSchema, listInput } from './list';

/** How long after it became due a policy is overdue, in days. */
export const OVERDUE_AFTER_DAYS = 14;

/** How often policies are confirmed, in days. */
export const RecertificationPeriod = z.literal(
  [...RECERTIFICATION_PERIODS],
  'One of 90, 180, 365 days, or null for never.',
);

/** A policy that has to be confirmed once per period. */
export const Recertification = z.object({
  /** Of the policy. */
  id: z.uuid(),
  name: z.string(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  project_id: z.uuid().nullable(),
  project_name: z.string().nullable(),
  owner: z.string(),
  ticket: z.string(),
  policy_version: z.int(),
  /** `due` until it is overdue, 14 days later. Its first period begins when it is created. */
  status: z.enum(RECERTIFICATION_STATUSES),
  period_days: z.int(),
  due_at: z.string(),
  /** The last confirmation; null: never. */
  confirmed_at: z.string().nullable(),
  confirmed_by: z.string().nullable(),
  confirmed_version: z.int().nullable(),
  note: z.string().nullable(),
});
export type Recertification = z.output<typeof Recertification>;

export const RecertificationListInput = listInput(RECERTIFICATION_SORTS, {
  status: z.enum(RECERTIFICATION_STATUSES, { error: `One of ${RECERTIFICATION_STATUSES.join(', ')}.` }).optional(),
  /** Email address of the owner, `me` for that of the caller; `none`: without an owner. */
  owner: z.string().trim().toLowerCase().max(254).optional(),
  tenant_id: z.union([z.uuid(), z.literal('none')], 'The ID of a tenant, or none.').optional(),
});
export type RecertificationListInput = z.output<typeof RecertificationListInput>;
export const RecertificationPage = createPageSchema(Recertification);

/** `version` is that of the policy that was read: when it is no longer current, nothing is confirmed. */
export const RecertificationConfirm = z.strictObject({
  version: z.int().min(1).optional(),
  note: z
    .string({ error: 'A text.' })
    .trim()
    .max(500, 'At most 500 characters.')
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'No line breaks or other control characters.')
    .default(''),
});
export type RecertificationConfirm = z.output<typeof RecertificationConfirm>;
