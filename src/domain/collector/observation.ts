/** The protocols that the collector reads, as records and pages name them. */
export const EXPORT_PROTOCOLS = ['netflow9', 'ipfix', 'sflow'] as const;
export type ExportProtocol = (typeof EXPORT_PROTOCOLS)[number];

/** One direction of traffic as an exporter reports it. */
export type Observation = {
  source_ip: string;
  destination_ip: string;
  /** IP protocol number. */
  protocol: number;
  /** Null for protocols without ports. */
  source_port: number | null;
  destination_port: number | null;
  icmp_type: number | null;
  icmp_code: number | null;
  vlan: number | null;
  /** IP bytes and packets since the exporter's previous record of it; null: not counted. With sampling, those of the sample. */
  bytes: number | null;
  packets: number | null;
  /** In milliseconds since 1970; null: the exporter does not say. */
  first_ms: number | null;
  last_ms: number | null;
  /** Of so many packets one was sampled; 1: all were counted; null: sampled, and how is not known yet. */
  sampling: number | null;
  /** Which end opened the conversation, where the exporter says so. */
  initiator: 'source' | null;
};

/** What one datagram contained. */
export type DecodedDatagram = {
  protocol: ExportProtocol;
  /** Sequence numbers count by this: observation domain, or agent. */
  stream: string;
  sequence: number;
  /** By how much the next datagram's sequence number is higher; null: not known. */
  advance: number | null;
  observations: Observation[];
  /** Data sets whose template is not known (yet). */
  unknown_templates: number;
  /** Records about something else than IP traffic, such as ARP. */
  skipped: number;
  /** Whether the rest of the datagram could not be read. */
  is_malformed: boolean;
};

/** Ports, or type and code, of a protocol by its number: each protocol has one or the other. */
const ICMP = [1, 58];
const WITH_PORTS = [6, 17, 33, 132, 136];

export const isIcmp = (protocol: number): boolean => ICMP.includes(protocol);
export const hasPorts = (protocol: number): boolean => WITH_PORTS.includes(protocol);
