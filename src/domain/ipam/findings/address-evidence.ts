import type { SIGHTING_SOURCES, SPOOFED_REASONS } from '../../choices';

export type SightingSource = (typeof SIGHTING_SOURCES)[number];

/** A time in which one source had an address at an interface of a workload. Times are milliseconds since 1970. */
export type AddressSighting = {
  readonly workload_id: string;
  /** `net0` … */
  readonly nic: string;
  /** Where the interface is attached; null: unknown. */
  readonly network_id: string | null;
  readonly vlan_tag: number | null;
  /** Canonical text. */
  readonly address: string;
  readonly mac: string | null;
  readonly source: SightingSource;
  readonly first: number;
  /** When it was last confirmed. */
  readonly last: number;
  /** The source was read since, and did not have it. */
  readonly ended: boolean;
};

/** An address as address management has it. */
export type AddressRegistration = {
  readonly id: string;
  readonly network_id: string;
  readonly address: string;
  readonly workload_id: string | null;
  readonly state: string;
  readonly since: number;
};

export type KnownPrefix = {
  readonly network_id: string;
  readonly cidr: string;
  readonly vlan_tag: number | null;
  readonly gateway: string | null;
};

export type AttachedInterface = {
  readonly workload_id: string;
  readonly nic: string;
  readonly network_id: string | null;
  readonly vlan_tag: number | null;
};

/** What is known about the addresses of one cluster. */
export type AddressEvidence = {
  readonly now: number;
  readonly sightings: readonly AddressSighting[];
  readonly registrations: readonly AddressRegistration[];
  readonly prefixes: readonly KnownPrefix[];
  readonly interfaces: readonly AttachedInterface[];
  /** Since when each workload runs; absent: it does not run, or that is unknown. */
  readonly running: ReadonlyMap<string, number>;
  /** Whether the IP filter of an interface is known to drop packets from the address. */
  forbids(sighting: AddressSighting): boolean;
};

export const FINDING_KINDS = [
  'duplicate_address',
  'moved_address',
  'spoofed_address',
  'stale_address',
  'unmanaged_address',
] as const;

type FindingParty = { readonly workload_id: string; readonly nic: string | null };

/** What contradicts what. In all kinds `other` is whose traffic or data the evidence is. */
export type AddressFinding = {
  readonly kind: (typeof FINDING_KINDS)[number];
  readonly address: string;
  readonly network_id: string | null;
  readonly ip_address_id: string | null;
  /** Who has it or had it. */
  readonly holder: FindingParty | null;
  readonly other: (FindingParty & { readonly mac: string | null; readonly source: SightingSource }) | null;
  /** Why it is spoofed. */
  readonly reason: (typeof SPOOFED_REASONS)[number] | null;
  /** When it began: of `moved_address`, when the address was first seen at its new place. */
  readonly began: number | null;
  /** When the last evidence was seen; of `moved_address`, when the address was last seen at its former place. */
  readonly last: number | null;
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const FINDING_TIMES = {
  /** Evidence older than this shows no present conflict. */
  recent: DAY,
  /** How long a move is listed. */
  moved: 7 * DAY,
  /** How long no source has to see an address until it is stale. */
  stale: 7 * DAY,
  /** How long an address has to be seen until it is unmanaged: the next discovery may register it. */
  unmanaged: HOUR,
} as const;

/** What the configuration, the address management of SDN or the guest itself say, as opposed to packets. */
export const isClaim = ({ source }: Pick<AddressSighting, 'source'>): boolean => source !== 'traffic';

/** The layer-2 segment of an interface; null: unknown. */
export const getSegment = ({
  network_id,
  vlan_tag,
}: Pick<AttachedInterface, 'network_id' | 'vlan_tag'>): string | null =>
  network_id === null ? null : `${network_id} ${vlan_tag ?? 0}`;
