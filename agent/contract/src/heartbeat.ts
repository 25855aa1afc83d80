// The wire between node agent and service: JSON over HTTPS, gzip allowed. Names are snake_case and never change their
// meaning; both sides ignore fields they do not know. Times are RFC 3339 UTC, counters are non-negative integers.
import * as z from 'zod';
import { AGENT_DECISIONS, AGENT_LIMITS, EDITED_OBJECTS } from './limits';

const shortText = z.string().max(64);
const text = z.string().max(500);
const time = z.iso.datetime({ offset: true });
const counter = z.int().nonnegative();
const port = z.int().min(0).max(65535);
const vmid = z.int().min(1).max(999_999_999);
const ipAddress = z.union([z.ipv4(), z.ipv6()]);
const interfaceName = z.string().min(1).max(64);

const rawScalar = z.union([z.string().max(500), z.number(), z.boolean(), z.null()]);
const rawValue = z.union([rawScalar, z.array(rawScalar).max(32)]);

/**
 * One direction of one conversation. Identity is (source_ip, destination_ip, protocol, source_port, destination_port,
 * decision); an agent sends each identity at most once per heartbeat. ICMP messages between two ends are one flow: its type
 * and code are those of the request, if there was one.
 */
export const flowSchema = z.object({
  source_ip: ipAddress,
  destination_ip: ipAddress,
  /** Lower case: `tcp`, `udp`, `icmp`, `icmpv6`, `sctp` …; a decimal number when it has no common name. */
  protocol: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,31}$/, 'expected a lower-case protocol name or number'),
  /** null where the protocol has no ports, and for later fragments. */
  source_port: port.nullable(),
  destination_port: port.nullable(),
  decision: z.enum(AGENT_DECISIONS),
  /** Connection tracking's name of the state (`ESTABLISHED`, `SYN_SENT`, `UNREPLIED` …), null when unknown. */
  state: z.string().max(32).nullable(),
  /** The agent's own total since `first_seen_at`: it begins again with the agent. null = not counted, never 0. */
  bytes: counter.nullable(),
  packets: counter.nullable(),
  /**
   * Part of `bytes` and `packets` that is new since the agent's previous heartbeat, which is what a server adds to what it
   * stores; absent = all of it.
   */
  delta_bytes: counter.optional(),
  delta_packets: counter.optional(),
  first_seen_at: time.optional(),
  /** Time of the last packet or log line. */
  observed_at: time,
  collector: shortText,
  /** Which end opened the conversation, when known: a reply must not be evaluated as a new connection. */
  initiator: z.enum(['source', 'destination']).optional(),
  icmp_type: z.int().min(0).max(255).optional(),
  icmp_code: z.int().min(0).max(255).optional(),
  /** Interface of the guest the flow is attributed to, with its guest and NIC number. */
  interface: interfaceName.optional(),
  vmid: vmid.optional(),
  nic: z.int().min(0).max(255).optional(),
  vlan: z.int().min(1).max(4094).optional(),
  /** Evidence: log excerpt, chain, translated addresses. Flat and small. */
  raw: z.record(z.string().max(64), rawValue).optional(),
});
export type Flow = z.infer<typeof flowSchema>;

export type FlowCheck = { ok: true; flow: Flow } | { ok: false; reason: string };

/**
 * Validates one flow of a heartbeat. Never throws: a bad flow is reported by index and does not cost the good ones.
 * @returns the flow without unknown fields, or a reason that names the first wrong field
 */
export function checkFlow(candidate: unknown): FlowCheck {
  try {
    const result = flowSchema.safeParse(candidate);
    if (result.success) return { ok: true, flow: result.data };
    const issue = result.error.issues[0];
    const path = issue?.path.map(String).join('.') ?? '';
    return { ok: false, reason: `${path === '' ? '' : `${path}: `}${issue?.message ?? 'invalid flow'}`.slice(0, 200) };
  } catch {
    // Getters and proxies can throw while being read; parsed JSON cannot.
    return { ok: false, reason: 'unreadable flow' };
  }
}

/** Counters of one interface as the node sees them: what a guest sends is `rx` of its tap. Totals since it exists. */
export const interfaceSchema = z.object({
  name: interfaceName,
  kind: shortText,
  vmid: vmid.optional(),
  nic: z.int().min(0).max(255).optional(),
  rx_bytes: counter,
  rx_packets: counter,
  rx_errors: counter,
  rx_dropped: counter,
  tx_bytes: counter,
  tx_packets: counter,
  tx_errors: counter,
  tx_dropped: counter,
});
export type InterfaceCounters = z.infer<typeof interfaceSchema>;

/**
 * Traffic of one guest NIC from interface counters; sent when there are no flows. Directions are the guest's: `rx` is
 * what it received. `bytes` and `packets` are the totals. Values are deltas since the previous heartbeat.
 */
export const interfaceTrafficSchema = z.object({
  interface: interfaceName,
  vmid,
  nic: z.int().min(0).max(255),
  rx_bytes: counter,
  rx_packets: counter,
  tx_bytes: counter,
  tx_packets: counter,
  bytes: counter,
  packets: counter,
  observed_at: time,
  collector: shortText,
});
export type InterfaceTraffic = z.infer<typeof interfaceTrafficSchema>;

/** How one collector fares. `degraded` works with losses, `unavailable` cannot work on this node. */
export const collectorStateSchema = z.object({
  name: shortText,
  state: z.enum(['active', 'degraded', 'unavailable', 'off']).or(shortText),
  detail: text.optional(),
  /** Named counts such as lost lines, packets of a full table, not-IPv4 packets. */
  counts: z.record(shortText, counter).optional(),
});
export type CollectorState = z.infer<typeof collectorStateSchema>;

const flowTotals = z.object({ flows: counter, bytes: counter, packets: counter });

/** Why flows are, or are not, what one would expect on this node. null = could not be read. */
export const flowDiagnosticsSchema = z.object({
  conntrack_path: text.nullable(),
  bridge_nf_call_iptables: z.boolean().nullable(),
  bridge_nf_call_ip6tables: z.boolean().nullable(),
  nf_conntrack_acct: z.boolean().nullable(),
  nf_conntrack_count: counter.nullable(),
  nf_conntrack_max: counter.nullable(),
  capabilities: z.array(shortText).max(64),
  collectors: z.array(collectorStateSchema).max(32),
  /** What was seen since the previous heartbeat, and the part of it that is not in `flows`. */
  seen: flowTotals,
  left_out: flowTotals,
});
export type FlowDiagnostics = z.infer<typeof flowDiagnosticsSchema>;

/** State of the hypervisor's firewall on the node. null = could not be determined, never "off". */
export const firewallStatusSchema = z.object({
  implementation: z.enum(['iptables', 'nftables']).nullable(),
  service_running: z.boolean().nullable(),
  cluster_enabled: z.boolean().nullable(),
  rules_loaded: z.boolean().nullable(),
  guest_chains: counter.nullable(),
  detail: text.optional(),
});
export type FirewallStatus = z.infer<typeof firewallStatusSchema>;

/**
 * A request to the hypervisor that changed firewall rules or a guest's configuration, as its access log names it: who and when, not
 * what was sent.
 */
export const hypervisorEditSchema = z.strictObject({
  at: time,
  /** As the hypervisor writes it, with the name of an API token after `!`. */
  user: z
    .string()
    .regex(/^[^\s"@!]{1,64}@[A-Za-z][A-Za-z0-9._-]{0,31}(![A-Za-z][A-Za-z0-9._-]{0,63})?$/, 'expected user@realm'),
  method: z.enum(['POST', 'PUT', 'DELETE']),
  object: z.enum(EDITED_OBJECTS),
  /** Of the guest that was edited. */
  vmid: vmid.optional(),
});
export type HypervisorEdit = z.infer<typeof hypervisorEditSchema>;

/** One interface of a guest: whether it is there, and whether the hypervisor's firewall is attached to it. */
export const nicEnforcementSchema = z.object({
  interface: interfaceName,
  vmid,
  nic: z.int().min(0).max(255),
  /** Whether the interface exists; rules of a guest that is stopped may be loaded. */
  present: z.boolean(),
  /** The bridge that it is a port of; null: none. Absent: could not be read. */
  bridge: interfaceName.nullable().optional(),
  /** Whether rules of both directions are loaded and its packets are sent to them. null = could not be read. */
  chains: z.boolean().nullable(),
});
export type NicEnforcement = z.infer<typeof nicEnforcementSchema>;

/** What only the node knows of whether the hypervisor's firewall filters its guests. */
export const enforcementSchema = z.object({
  /** Of this part. */
  version: z.int().positive(),
  /** SHA-256 (hex) of the hypervisor's own rules and sets, without those of other programs. null = could not be read. */
  ruleset_hash: z.string().max(128).nullable(),
  interfaces: z.array(nicEnforcementSchema).max(20_000),
});
export type EnforcementReport = z.infer<typeof enforcementSchema>;

/** An address from which a guest sent packets, by the interface they came from. */
export const sentAddressSchema = z.object({
  interface: interfaceName,
  vmid,
  nic: z.int().min(0).max(255),
  address: ipAddress,
  /** Of the tag of the packets; absent: they had none. */
  vlan: z.int().min(1).max(4094).optional(),
});
export type SentAddress = z.infer<typeof sentAddressSchema>;

/**
 * From which addresses guests sent packets since the previous heartbeat: unlike a flow, which may have been seen on its way to a
 * guest, it shows what the guest itself uses.
 */
export const sentAddressesSchema = z.object({
  /** Of this part. */
  version: z.int().positive(),
  addresses: z.array(sentAddressSchema).max(AGENT_LIMITS.sent_addresses),
  /** Addresses that are not listed: those with the fewest packets of an interface with very many. */
  left_out: counter,
});
export type SentAddresses = z.infer<typeof sentAddressesSchema>;

const envelope = {
  protocol_version: z.int().positive(),
  agent_version: shortText,
  /** Stable id of the installation: 32 hexadecimal digits. */
  machine_id: z.string().regex(/^[0-9a-f]{32}$/, 'expected 32 hexadecimal digits'),
  node_name: shortText.optional(),
  /** New at each start of the agent; with `sequence` it lets the server recognize a repeated heartbeat. */
  boot_id: z.uuid(),
  sequence: z.int().nonnegative(),
  sent_at: time,
  /** Start of the time that the heartbeat covers, up to `sent_at`; absent: it begins with the agent's previous heartbeat. */
  observed_since: time.optional(),
  interval_seconds: z.int().min(1).max(AGENT_LIMITS.interval_seconds.maximum),
  interfaces: z.array(interfaceSchema).max(20_000),
  interface_traffic: z.array(interfaceTrafficSchema).max(20_000),
  flow_diagnostics: flowDiagnosticsSchema.nullable(),
  firewall_status: firewallStatusSchema.nullable(),
  /** SHA-256 (hex) of all packet filter rules; changes with rules only. null = could not be read. */
  nftables_ruleset_hash: z.string().max(128).nullable(),
  /** Since the previous heartbeat; absent: the access log is not read. */
  hypervisor_edits: z.array(hypervisorEditSchema).max(AGENT_LIMITS.edits_per_heartbeat).optional(),
  /** Absent: an agent before 0.4.0. */
  enforcement: enforcementSchema.optional(),
  /** Absent: an agent before 0.5.0, or one without packet capture. */
  sent_addresses: sentAddressesSchema.optional(),
};

/** What an agent sends. */
export const heartbeatSchema = z.object({ ...envelope, flows: z.array(flowSchema) });
export type Heartbeat = z.infer<typeof heartbeatSchema>;

/** What a server parses first: everything but the flows, which `checkFlow` validates one by one. */
export const heartbeatEnvelopeSchema = z.object({ ...envelope, flows: z.array(z.unknown()) });
export type HeartbeatEnvelope = z.infer<typeof heartbeatEnvelopeSchema>;

/** The server's answer: every flow is accepted (new), updated (known), unconfirmed or rejected with a reason. */
export const heartbeatAnswerSchema = z.object({
  accepted: counter,
  updated: counter,
  /** Flows of guests that the server knows on another node: they count once it has found the guest on this one. */
  unconfirmed: counter.optional(),
  rejected: z.array(z.object({ index: counter, reason: text })),
  next_interval_seconds: z.int().positive(),
  /** true when this (boot_id, sequence) had been stored before; nothing was counted twice. */
  duplicate: z.boolean().optional(),
});
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswerSchema>;

/** Exchanges the installer's one-time enrollment token for the node's own token. */
export const enrolmentRequestSchema = z.object({
  protocol_version: z.int().positive(),
  enrolment_token: z.string().min(16).max(512),
  machine_id: envelope.machine_id,
  node_name: z.string().min(1).max(64),
  agent_version: shortText,
});
export type EnrolmentRequest = z.infer<typeof enrolmentRequestSchema>;

/** `node_token` is shown once; the server keeps a hash. It may post for `node_id` only. */
export const enrolmentAnswerSchema = z.object({
  node_token: z.string().min(16).max(512),
  node_id: z.string().min(1).max(64),
  interval_seconds: z.int().positive().optional(),
});
export type EnrolmentAnswer = z.infer<typeof enrolmentAnswerSchema>;
