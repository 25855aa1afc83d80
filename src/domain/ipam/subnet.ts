import { z } from 'zod';
import { IPAM_SOURCES, SUBNET_SORTS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { AddressText, booleanFilter, CidrText, Description, Version, VlanTag } from './fields';

/**
 * How full a prefix is. `capacity` is the number of addresses that can be handed out, as decimal text because an IPv6
 * prefix has more than a number can count. The counts include the prefixes inside it; `used` is all but the stale ones.
 */
export const Usage = z.object({
  capacity: z.string(),
  used: z.int(),
  active: z.int(),
  reserved: z.int(),
  dhcp: z.int(),
  conflict: z.int(),
  stale: z.int(),
  /** `used` / `capacity`, 0 to 1. */
  utilisation: z.number(),
});
export type Usage = z.output<typeof Usage>;

export const Subnet = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  network_id: z.uuid(),
  network_name: z.string(),
  cidr: z.string(),
  family: z.union([z.literal(4), z.literal(6)]),
  /** The smallest prefix of the same network in which it lies. */
  parent_id: z.uuid().nullable(),
  gateway: z.string().nullable(),
  dns_servers: z.array(z.string()),
  dhcp_enabled: z.boolean(),
  vlan_tag: z.int().nullable(),
  description: z.string(),
  source: z.enum(IPAM_SOURCES),
  missing_since: z.string().nullable(),
  usage: Usage,
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Subnet = z.output<typeof Subnet>;

export const SubnetDetail = Subnet.extend({
  /** The prefixes around it, widest first. */
  ancestors: z.array(z.object({ id: z.uuid(), cidr: z.string() })),
  /** Prefixes directly inside it. */
  children_total: z.int(),
  ranges_total: z.int(),
  conflicts_open: z.int(),
});
export type SubnetDetail = z.output<typeof SubnetDetail>;

export const SubnetListInput = listInput(SUBNET_SORTS, {
  cluster_id: z.uuid().optional(),
  network_id: z.uuid().optional(),
  family: z.coerce
    .number()
    .pipe(z.union([z.literal(4), z.literal(6)]))
    .optional(),
  source: z.enum(IPAM_SOURCES).optional(),
  /** Prefixes inside this one, itself included. */
  within: CidrText.optional(),
  /** Prefixes that hold this address. */
  contains: AddressText.optional(),
  missing: booleanFilter,
});
export type SubnetListInput = z.output<typeof SubnetListInput>;
export const SubnetPage = createPageSchema(Subnet);

const editable = {
  cidr: CidrText,
  gateway: AddressText.nullable(),
  dns_servers: z.array(AddressText).max(10, 'At most 10 servers.'),
  dhcp_enabled: z.boolean(),
  vlan_tag: VlanTag.nullable(),
  description: Description,
};

export const SubnetInput = z.strictObject({
  network_id: z.uuid(),
  cidr: editable.cidr,
  gateway: editable.gateway.default(null),
  dns_servers: editable.dns_servers.default([]),
  dhcp_enabled: editable.dhcp_enabled.default(false),
  vlan_tag: editable.vlan_tag.default(null),
  description: editable.description.default(''),
});
export type SubnetInput = z.output<typeof SubnetInput>;

/** Only what changes. With `version` the update is refused when another user changed it first. */
export const SubnetUpdate = z.strictObject({ ...editable, version: Version }).partial();
export type SubnetUpdate = z.output<typeof SubnetUpdate>;

/** One level of the tree of prefixes of a network: the outermost ones, or those directly inside `parent_id`. */
export const SubnetTreeInput = z.strictObject({
  network_id: z.uuid(),
  parent_id: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(500),
  /** The `next_cursor` of the page before. */
  cursor: z.string().max(600).optional(),
});
export type SubnetTreeInput = z.output<typeof SubnetTreeInput>;

export const SubnetNode = Subnet.omit({ cluster_name: true, network_name: true }).extend({
  children_total: z.int(),
  /** Prefixes at any depth below it. */
  descendants_total: z.int(),
});
export type SubnetNode = z.output<typeof SubnetNode>;
export const SubnetTreePage = createPageSchema(SubnetNode);

/** A part of a subnet's addresses, cell by cell. */
export const SubnetGridInput = z.strictObject({
  id: z.uuid(),
  /** Requested first address; the subnet's first one when left out. */
  from: AddressText.optional(),
  limit: z.coerce.number().int().min(1).max(1024).default(256),
});
export type SubnetGridInput = z.output<typeof SubnetGridInput>;

export const GRID_STATES = [
  'network',
  'broadcast',
  'gateway',
  'active',
  'reserved',
  'dhcp',
  'stale',
  'conflict',
  'dhcp_range',
  'reserved_range',
  'child',
] as const;

/** Only cells that are not free are listed; every other address from `first` to `last` is free. */
export const SubnetGrid = z.object({
  cidr: z.string(),
  first: z.string(),
  last: z.string(),
  /** `from` of the parts before and after. */
  previous: z.string().nullable(),
  next: z.string().nullable(),
  cells: z.array(
    z.object({
      address: z.string(),
      state: z.enum(GRID_STATES),
      ip_address_id: z.uuid().nullable(),
      /** The workload, host name, or what the range or inner prefix is. */
      label: z.string().nullable(),
      workload_id: z.uuid().nullable(),
      subnet_id: z.uuid().nullable(),
    }),
  ),
});
export type SubnetGrid = z.output<typeof SubnetGrid>;

/** The first free block of this length inside the subnet. */
export const NextPrefixInput = z.strictObject({ prefix_length: z.coerce.number().int().min(1).max(128) });
export const NextPrefix = z.object({ cidr: z.string() });
/** The first free addresses of the subnet, without taking them. */
export const NextAddresses = z.object({ addresses: z.array(z.string()) });
export const NextAddressesInput = z.strictObject({ count: z.coerce.number().int().min(1).max(100).default(1) });

/** Takes the next free block as a subnet of the same network. */
export const AllocatePrefixInput = SubnetInput.omit({ network_id: true, cidr: true }).extend({
  prefix_length: z.int().min(1).max(128),
});
export type AllocatePrefixInput = z.output<typeof AllocatePrefixInput>;
