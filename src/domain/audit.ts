import { z } from 'zod';
import { ACTOR_KINDS } from './choices';
import { createPageSchema, listInput } from './list';
import { Time } from './time';

/**
 * Who did what to which object, when and from where. `hash` chains it to the record before (`seq` - 1). The chain runs through
 * the whole installation: to readers of single tenants, its number and hashes are null, because gaps would count what others do.
 */
export const AuditRecord = z.object({
  seq: z.int().nullable(),
  id: z.uuid(),
  at: z.iso.datetime(),
  actor_kind: z.enum(ACTOR_KINDS),
  actor_id: z.uuid().nullable(),
  actor_name: z.string(),
  tenant_id: z.uuid().nullable(),
  action: z.string(),
  object_kind: z.string(),
  object_id: z.string().nullable(),
  object_name: z.string().nullable(),
  /** The state before and after the change, secrets redacted. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  request_id: z.string().nullable(),
  source_address: z.string().nullable(),
  previous_hash: z.string().nullable(),
  hash: z.string().nullable(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

const name = z.string().trim().min(1).max(200, 'At most 200 characters.').optional();

export const AuditListInput = listInput(['at'], {
  actor_kind: z.enum(ACTOR_KINDS, `One of ${ACTOR_KINDS.join(', ')}.`).optional(),
  actor_id: z.uuid('The ID of a user.').optional(),
  /** `policy.updated`, or `policy.*` for every action on policies. */
  action: name,
  object_kind: name,
  object_id: name,
  tenant_id: z.uuid('The ID of a tenant.').optional(),
  since: Time.optional(),
  until: Time.optional(),
});
export type AuditListInput = z.infer<typeof AuditListInput>;

export const AuditPage = createPageSchema(AuditRecord);

/** A list that a page exports, and what it is filtered by. */
export const PageExport = z.strictObject({
  list: z.string('The name of the list.').min(1).max(100, 'At most 100 characters.'),
  filters: z.record(z.string().max(100), z.unknown()),
});
