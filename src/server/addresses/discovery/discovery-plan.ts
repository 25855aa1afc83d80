import type { ConflictKind } from '@/domain/ipam/conflict';
import type { AddressSource, AddressState } from '@/domain/ipam/ip-address';
import type { SdnLease } from '../../providers/hypervisor/types';
import type { GuestReading } from './observe';
import type { NewSubnet, StoredSubnet } from './places';

export type StoredAddress = {
  id: string;
  network_id: string;
  subnet_id: string;
  address: string;
  workload_id: string | null;
  interface_id: string | null;
  mac: string | null;
  state: AddressState;
  source: AddressSource;
  first_seen_at: string | null;
  last_seen_at: string | null;
  updated_at: string;
};
export type StoredConflict = {
  id: string;
  kind: ConflictKind;
  key: string;
  status: 'open' | 'resolved' | 'gone';
  ip_address_id: string | null;
  address: string | null;
  workload_id: string | null;
  other_workload_id: string | null;
  other_mac: string | null;
  other_source: string | null;
  state_before: string | null;
};
export type StoredInterface = {
  id: string;
  workload_id: string;
  name: string;
  mac: string | null;
  network_id: string | null;
};
/** A subnet as the plan needs it; `removable` when the discovery made it and nobody changed it. */
export type KnownSubnet = StoredSubnet & { removable: boolean };

export type DiscoveryInput = {
  readings: readonly GuestReading[];
  leases: { items: readonly SdnLease[]; complete: boolean };
  /** Networks of the cluster by name: what the bridge of a card names. */
  networks: ReadonlyMap<string, string>;
  subnets: readonly KnownSubnet[];
  addresses: readonly StoredAddress[];
  interfaces: readonly StoredInterface[];
  conflicts: readonly StoredConflict[];
  /** Id of the network of the discovery, whether it exists yet or not. */
  discoveredNetworkId: string;
  newId: () => string;
  now: Date;
};

/** The columns of an address that the discovery writes. */
export type AddressWrite = Omit<StoredAddress, 'updated_at'>;
export type ConflictWrite = Omit<StoredConflict, 'status'> & {
  network_id: string | null;
  mac: string | null;
  interface_name: string | null;
  other_interface_name: string | null;
};

export type DiscoveryPlan = {
  subnets: { create: NewSubnet[]; remove: string[] };
  addresses: {
    create: AddressWrite[];
    change: AddressWrite[];
    /** Only the time of being seen is noted; that is no change. */
    note: { id: string; first_seen_at: string; last_seen_at: string }[];
    remove: StoredAddress[];
  };
  conflicts: { create: ConflictWrite[]; reopen: ConflictWrite[]; gone: StoredConflict[] };
  /** Conflicts that are open after the run. */
  open: number;
  seen: number;
  ignored: number;
};
