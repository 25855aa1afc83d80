import { z } from 'zod';
import { CONFLICT_KINDS, CONFLICT_SORTS, SPOOFED_REASONS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { AddressText, Description, Version } from './fields';

export type ConflictKind = (typeof CONFLICT_KINDS)[number];
/** `gone`: later discoveries proved that it is no more. */
export const CONFLICT_STATUSES = ['open', 'resolved', 'gone'] as const;
/** keep: as stored · assign: to the other workload · dismiss: both are right, do not show it again. */
export const CONFLICT_RESOLUTIONS = ['keep', 'assign', 'dismiss'] as const;

/** Which decisions a conflict of each kind allows. */
export const RESOLUTIONS_OF = {
  duplicate_address: ['keep', 'assign', 'dismiss'],
  duplicate_mac: ['dismiss'],
  outside_subnet: ['keep', 'dismiss'],
  reserved_in_use: ['keep', 'assign', 'dismiss'],
  moved_address: ['dismiss'],
  spoofed_address: ['dismiss'],
  stale_address: ['dismiss'],
  unmanaged_address: ['dismiss'],
} as const satisfies Record<ConflictKind, readonly (typeof CONFLICT_RESOLUTIONS)[number][]>;

const Party = z.object({ id: z.uuid(), name: z.string(), external_id: z.string() });

export const IpamConflict = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  kind: z.enum(CONFLICT_KINDS),
  status: z.enum(CONFLICT_STATUSES),
  resolution: z.enum(CONFLICT_RESOLUTIONS).nullable(),
  ip_address_id: z.uuid().nullable(),
  network_id: z.uuid().nullable(),
  network_name: z.string().nullable(),
  address: z.string().nullable(),
  mac: z.string().nullable(),
  /** Who holds it, as stored. Null when it is unassigned, or when the holder is not visible to the user. */
  workload: Party.nullable(),
  interface_name: z.string().nullable(),
  /** Who was seen with it as well. */
  other_workload: Party.nullable(),
  other_interface_name: z.string().nullable(),
  other_mac: z.string().nullable(),
  other_source: z.string().nullable(),
  /** Why an address is spoofed: its holder says that it has it, it is registered to the holder, or the IP filter forbids it. */
  reason: z.enum(SPOOFED_REASONS).nullable(),
  /** Of findings from sightings: when it began, such as when the address was first seen at its new interface. */
  began_at: z.string().nullable(),
  /** When its evidence was last seen, to within an hour; of a moved address, when it was last seen at its former interface. */
  evidence_at: z.string().nullable(),
  note: z.string(),
  resolved_at: z.string().nullable(),
  resolved_by_name: z.string().nullable(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type IpamConflict = z.output<typeof IpamConflict>;

export const ConflictListInput = listInput(CONFLICT_SORTS, {
  cluster_id: z.uuid().optional(),
  kind: z.enum(CONFLICT_KINDS).optional(),
  status: z.enum(CONFLICT_STATUSES).optional(),
  ip_address_id: z.uuid().optional(),
  address: AddressText.optional(),
  workload_id: z.uuid().optional(),
});
export type ConflictListInput = z.output<typeof ConflictListInput>;
export const ConflictPage = createPageSchema(IpamConflict);

export const ConflictResolveInput = z.strictObject({
  resolution: z.enum(CONFLICT_RESOLUTIONS, { error: `One of ${CONFLICT_RESOLUTIONS.join(', ')}.` }),
  note: Description.default(''),
  version: Version.optional(),
});
export type ConflictResolveInput = z.output<typeof ConflictResolveInput>;
