/** A flow that was accepted, as it is stored; times are RFC 3339. */
export type FlowRecord = {
  flow_key: string;
  source_ip: string;
  destination_ip: string;
  protocol: string;
  source_port: number | null;
  destination_port: number | null;
  decision: string;
  state: string | null;
  /** What the report adds to the stored totals; null when it does not count. */
  bytes: number | null;
  packets: number | null;
  /** The agent's own totals. */
  reported_bytes: number | null;
  reported_packets: number | null;
  first_seen_at: string;
  observed_at: string;
  collector: string;
  initiator: 'source' | 'destination' | null;
  icmp_type: number | null;
  icmp_code: number | null;
  interface: string | null;
  vmid: number | null;
  nic: number | null;
  vlan: number | null;
  workload_id: string | null;
  source_workload_id: string | null;
  destination_workload_id: string | null;
  source_cidr: string | null;
  destination_cidr: string | null;
  raw: string | null;
};

/** A flow that waits for confirmation, without its ends, and what it adds. */
export type UnconfirmedReport = {
  record: FlowRecord;
  delta_bytes: number | null;
  delta_packets: number | null;
  has_begin: boolean;
};
