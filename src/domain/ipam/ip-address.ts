import { z } from 'zod';
import { ADDRESS_SORTS, ADDRESS_SOURCES, ADDRESS_STATES, HOLDING_SORTS, MAX_BULK, SETTABLE_STATES } from '../choices';
import { createPageSchema, listInput } from '../list';
import { Time } from '../time';
import { AddressText, booleanFilter, CidrText, Description, Hostname, MacText, Version } from './fields';
import { AddressSighting } from './sighting';

export type AddressState = (typeof ADDRESS_STATES)[number];
export type AddressSource = (typeof ADDRESS_SOURCES)[number];

export const AddressWorkload = z.object({
  id: z.uuid(),
  name: z.string(),
  vmid: z.int(),
  kind: z.enum(['qemu', 'lxc']),
  external_id: z.string(),
  status: z.enum(['running', 'stopped', 'paused', 'suspended', 'unknown']),
  project_id: z.uuid().nullable(),
});

export const IpAddress = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  network_id: z.uuid(),
  network_name: z.string(),
  subnet_id: z.uuid(),
  subnet_cidr: z.string(),
  address: z.string(),
  state: z.enum(ADDRESS_STATES),
  source: z.enum(ADDRESS_SOURCES),
  workload_id: z.uuid().nullable(),
  workload: AddressWorkload.nullable(),
  interface_id: z.uuid().nullable(),
  /** `net0` … of the workload. */
  interface_name: z.string().nullable(),
  mac: z.string().nullable(),
  hostname: z.string().nullable(),
  description: z.string(),
  first_seen_at: z.string().nullable(),
  last_seen_at: z.string().nullable(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type IpAddress = z.output<typeof IpAddress>;

/** One time during which a workload held the address; `until_at` null while it does. */
export const AddressHolder = z.object({
  id: z.uuid(),
  workload_id: z.uuid().nullable(),
  workload_name: z.string(),
  workload_external_id: z.string(),
  interface_name: z.string().nullable(),
  mac: z.string().nullable(),
  source: z.string(),
  from_at: z.string(),
  until_at: z.string().nullable(),
});
export type AddressHolder = z.output<typeof AddressHolder>;

/** An address with a time during which a workload held it, clipped to the time that the reader may see. */
export const AddressHolding = AddressHolder.extend({
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  network_id: z.uuid(),
  network_name: z.string(),
  address: z.string(),
  /** The address as it is stored now; null when it was deleted. */
  ip_address_id: z.uuid().nullable(),
});
export type AddressHolding = z.output<typeof AddressHolding>;

/** One address, or a prefix. */
const PlaceText = z
  .string()
  .trim()
  .transform((text, ctx) => {
    const { data, error } = (text.includes('/') ? CidrText : AddressText).safeParse(text);
    if (data !== undefined) return data;
    ctx.addIssue(error?.issues[0]?.message ?? 'Enter an address or a prefix.');
    return z.NEVER;
  });

/** Who held addresses: by prefix, and within a time. The same time twice asks for one moment. */
export const AddressHolderListInput = listInput(HOLDING_SORTS, {
  cluster_id: z.uuid().optional(),
  network_id: z.uuid().optional(),
  workload_id: z.uuid().optional(),
  /** An address or a prefix. */
  within: PlaceText.optional(),
  /** Held at this time or later. */
  since: Time.optional(),
  /** Held at this time or earlier. */
  until: Time.optional(),
});
export type AddressHolderListInput = z.output<typeof AddressHolderListInput>;
export const AddressHolderPage = createPageSchema(AddressHolding);

export const IpAddressDetail = IpAddress.extend({
  /** Newest first, at most 100. */
  history: z.array(AddressHolder),
  /** Prefixes of its network in which it lies, widest first. */
  subnets: z.array(z.object({ id: z.uuid(), cidr: z.string() })),
  conflict_ids: z.array(z.uuid()),
  /** What each source says or said about the address in its cluster, what holds now first; at most 100. */
  sightings: z.array(AddressSighting),
  /** When the guest agent, and packets, of its workload were last seen with any address; null: never, so nothing is known by them. */
  observed_at: z.object({ agent: z.string().nullable(), traffic: z.string().nullable() }),
});
export type IpAddressDetail = z.output<typeof IpAddressDetail>;

export const AddressListInput = listInput(ADDRESS_SORTS, {
  cluster_id: z.uuid().optional(),
  network_id: z.uuid().optional(),
  /** Addresses of this subnet; with `nested` those of the prefixes inside it as well. */
  subnet_id: z.uuid().optional(),
  nested: booleanFilter,
  workload_id: z.uuid().optional(),
  state: z.enum(ADDRESS_STATES).optional(),
  source: z.enum(ADDRESS_SOURCES).optional(),
  family: z.coerce
    .number()
    .pipe(z.union([z.literal(4), z.literal(6)]))
    .optional(),
  within: CidrText.optional(),
  mac: MacText.optional(),
  assigned: booleanFilter,
});
export type AddressListInput = z.output<typeof AddressListInput>;
export const AddressPage = createPageSchema(IpAddress);

const editable = {
  state: z.enum(SETTABLE_STATES, { error: `One of ${SETTABLE_STATES.join(', ')}.` }),
  workload_id: z.uuid().nullable(),
  interface_id: z.uuid().nullable(),
  mac: MacText.nullable(),
  hostname: Hostname.nullable(),
  description: Description,
};

const given = {
  state: editable.state.default('active'),
  workload_id: editable.workload_id.default(null),
  interface_id: editable.interface_id.default(null),
  mac: editable.mac.default(null),
  hostname: editable.hostname.default(null),
  description: editable.description.default(''),
};

/** A new address. The longest matching prefix of the network decides its subnet. */
export const AddressInput = z.strictObject({ network_id: z.uuid(), address: AddressText, ...given });
export type AddressInput = z.output<typeof AddressInput>;

/** Takes the next free address of a subnet; reserved unless said otherwise. */
export const AllocateAddressInput = z.strictObject({ ...given, state: editable.state.default('reserved') });
export type AllocateAddressInput = z.output<typeof AllocateAddressInput>;

/** Only what changes. With `version` the update is refused when another user changed it first. */
export const AddressUpdate = z.strictObject({ ...editable, version: Version }).partial();
export type AddressUpdate = z.output<typeof AddressUpdate>;

const items = z
  .array(z.strictObject({ id: z.uuid(), version: Version.optional() }))
  .min(1, 'Choose at least one address.')
  .max(MAX_BULK, `At most ${MAX_BULK} addresses per request.`);

/** The same change to many addresses: all of them or, when one cannot be changed, none. */
export const AddressBulkUpdate = z.strictObject({
  items,
  changes: z
    .strictObject({
      state: editable.state,
      workload_id: z.null('Only null: a bulk change cannot assign addresses to a workload.'),
      hostname: editable.hostname,
      description: editable.description,
    })
    .partial()
    .refine((changes) => Object.keys(changes).length > 0, 'Specify at least one field to change.'),
});
export type AddressBulkUpdate = z.output<typeof AddressBulkUpdate>;
export const AddressBulkDelete = z.strictObject({ items });
export type AddressBulkDelete = z.output<typeof AddressBulkDelete>;
export const BulkResult = z.object({ changed: z.int(), unchanged: z.int() });
export type BulkResult = z.output<typeof BulkResult>;
