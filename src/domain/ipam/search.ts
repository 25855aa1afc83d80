import { z } from 'zod';
import { TOUCHED_BY } from '../policy/touches';
import { IpamConflict } from './conflict';
import { AddressHolding, IpAddress } from './ip-address';
import { AddressSighting } from './sighting';
import { Subnet } from './subnet';

/** What was pasted: an address, a MAC address, a CIDR, or the beginning of one of them. */
export const IpamSearchInput = z.strictObject({
  q: z.string().trim().min(1, 'Enter an address, a MAC address or a prefix.').max(100),
  limit: z.coerce.number().int().min(1).max(50).default(10),
});
export type IpamSearchInput = z.output<typeof IpamSearchInput>;

export const IpamSearchResult = z.object({
  /** What the text was taken for. */
  kind: z.enum(['address', 'mac', 'cidr', 'text']),
  /** Its canonical form. */
  q: z.string(),
  addresses: z.array(IpAddress),
  /** For an address: the longest prefix of each network that holds it. For a CIDR: itself, then what is around and in it. */
  subnets: z.array(Subnet),
  /** Workloads that hold it or held it, the latest first. */
  holders: z.array(AddressHolding),
  /** What each source says or said about it, what holds now first. */
  sightings: z.array(AddressSighting),
  /** Open conflicts about it. */
  conflicts: z.array(IpamConflict),
  /**
   * Policies with an endpoint that resolves to one of the addresses found, at most 200, those that name it or its workload first; null to
   * users who may not see policies.
   */
  policies: z
    .array(
      z.object({
        policy_id: z.uuid(),
        name: z.string(),
        enabled: z.boolean(),
        address: z.string(),
        /** Through its workload, through addresses that include it, or through any. */
        by: z.enum(TOUCHED_BY),
      }),
    )
    .nullable(),
  /** Of all, also those that are not listed. */
  policies_total: z.int().nullable(),
  /** Interfaces with this MAC address. */
  interfaces: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      mac: z.string(),
      workload_id: z.uuid(),
      workload_name: z.string(),
      external_id: z.string(),
      cluster_id: z.uuid(),
      cluster_name: z.string(),
    }),
  ),
});
export type IpamSearchResult = z.output<typeof IpamSearchResult>;
