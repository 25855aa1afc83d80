import { z } from 'zod';
import { SIGHTING_SOURCES } from '../choices';

/** A time in which one source had an address at an interface of a workload. */
export const AddressSighting = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  network_id: z.uuid().nullable(),
  network_name: z.string().nullable(),
  vlan_tag: z.int().nullable(),
  address: z.string(),
  workload_id: z.uuid(),
  workload_name: z.string(),
  workload_external_id: z.string(),
  /** `net0` … of the workload. */
  nic: z.string(),
  mac: z.string().nullable(),
  /** The guest itself, the address management of SDN, the configuration, cloud-init, or packets that the node saw. */
  source: z.enum(SIGHTING_SOURCES),
  /** Name of the interface inside the guest, or of the one on the node that saw packets. */
  seen_on: z.string().nullable(),
  first_seen_at: z.string(),
  /** To within half an hour. */
  last_seen_at: z.string(),
  /** When the source was read and did not have it any more; null while it has it, or was not read since. */
  ended_at: z.string().nullable(),
});
export type AddressSighting = z.output<typeof AddressSighting>;
