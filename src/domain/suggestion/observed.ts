// What a suggestion is computed from: what was seen in a window, and the workloads that it may name.

/** Conversations of the same ends, service and outcome, summed up. Times in milliseconds since 1970. */
export type ObservedPair = {
  readonly client: ObservedEnd;
  readonly server: ObservedEnd;
  readonly protocol: string;
  readonly service_port: number | null;
  /** Whether an agent reported who opened. */
  readonly is_client_known: boolean;
  readonly icmp_type: number | null;
  readonly action: 'allowed' | 'dropped' | 'rejected' | 'unknown';
  /** Whether the server sent anything. */
  readonly answered: boolean;
  /** Begun in the part of the window that the draft is made from. */
  readonly conversations: number;
  /** Begun in the held-out part. */
  readonly held_out: number;
  /** Null: not counted. */
  readonly bytes: number | null;
  readonly first_seen: number;
  readonly last_seen: number;
};

export type ObservedEnd = {
  readonly workload_id: string | null;
  readonly ip: string;
  /** Null: not kept, because it is surely that of a caller, or the protocol has none. */
  readonly port: number | null;
  /** Outside all known subnets. */
  readonly external: boolean;
};

/** A workload that the owner of the draft can name. */
export type SuggestionWorkload = {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  /** Resolves to this workload alone for the owner of the draft. */
  readonly endpoint: string;
  /** Addresses that an endpoint with this workload resolves to. */
  readonly addresses: readonly string[];
  /** Rules are only suggested for workloads in the scope; the others are peers. */
  readonly in_scope: boolean;
};

/** A group that exists: a proposed one with the same members is this one. */
export type KnownGroup = {
  readonly id: string;
  readonly name: string;
  readonly endpoint: string;
  readonly workload_ids: readonly string[];
};

/** Why conversations are not covered by any rule of the draft. */
export const LEFT_OUT_REASONS = [
  /** The firewall dropped or rejected them. */
  'blocked',
  /** One client tried many services, and most did not answer. */
  'scan',
  /** From outside to a port that should hardly ever be reached from there. */
  'suspicious',
  /** The server sent nothing. */
  'unanswered',
  /** To a group of hosts or to all of a subnet: no rule of a workload names them. */
  'multicast',
  /** DHCP and link-local addresses: options of the firewall allow them. */
  'local',
  /** Neither port is known to be that of a service. */
  'no_service',
  /** Ports that a server opens for single conversations. */
  'dynamic_ports',
  /** A protocol that rules do not have. */
  'protocol',
  /** The workload had another address than those that its endpoint resolves to. */
  'other_address',
  /** Neither end is in the scope by now, or no endpoint of the owner resolves to the one that is. */
  'unresolved',
  /** More than a suggestion holds. */
  'too_many',
  /** Only seen in the held-out part. */
  'held_out',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** Conversations without a rule. `client` and `server` are names of workloads, or addresses. */
export type LeftOut = {
  readonly reason: LeftOutReason;
  readonly client: string;
  readonly server: string;
  /** `tcp/443`, or the protocol alone. */
  readonly service: string;
  readonly conversations: number;
  readonly bytes: number | null;
  readonly last_seen: number;
};
