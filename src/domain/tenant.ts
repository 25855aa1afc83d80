import { z } from 'zod';
import { createPageSchema, listInput } from './list';

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

export const TenantInput = z.strictObject({
  name: DisplayName,
  description: Description.default(''),
  on_move: OnMove.optional(),
});
export type TenantInput = z.output<typeof TenantInput>;

export const TenantUpdate = z.strictObject({
  name: DisplayName.optional(),
  description: Description.optional(),
  on_move: OnMove.optional(),
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
