// Numbers and names both sides agree on. Free of zod, so that the agent's bundle stays small.

/** Version of the agent program and of this package. */
export const AGENT_VERSION = '0.5.1';

/** Raised only when an old server could misread a new agent; new optional fields do not raise it. */
export const PROTOCOL_VERSION = 1;

/** Paths below the base URL of the service. */
export const AGENT_PATHS = {
  heartbeat: '/api/v1/agents/heartbeat',
  enrol: '/api/v1/agents/enrol',
} as const;

export const AGENT_LIMITS = {
  /** Flows an agent puts into one heartbeat; a server accepts more. */
  flows_per_heartbeat: 1500,
  /** Characters kept of a firewall log line. */
  log_excerpt_characters: 180,
  /** Lines of the hypervisor's firewall log read per heartbeat: the larger of twice the flow limit and this. */
  log_lines_minimum: 1000,
  /** Edits by other people that an agent reports in one heartbeat, the newest. */
  edits_per_heartbeat: 100,
  /** Addresses from which guests sent packets that one heartbeat lists, and those of one interface. */
  sent_addresses: 8000,
  sent_addresses_of_interface: 32,
  /** How far back the kernel log is looked at. */
  kernel_log_window_seconds: 300,
  /** Largest request body, compressed or not, that a server accepts; more is answered with 413. */
  body_bytes: 16 * 1024 * 1024,
  /**
   * Heartbeats that a server accepts per interval of an agent, and the extra burst it accepts after a pause. Any more
   * get 429 with Retry-After. An agent that catches up after an outage sends six per interval; a whole spool is below
   * the burst.
   */
  heartbeats_per_interval: 8,
  heartbeat_burst: 300,
  /** An agent's first heartbeat comes within this time, or within its interval. */
  first_heartbeat_seconds: 15,
  interval_seconds: { minimum: 5, default: 30, maximum: 3600 },
} as const;

/**
 * Verdicts an agent can report: the first three come from firewall log lines; `observed` means that no log line gives
 * an action for the flow (the server may still find the matching rule).
 */
export const AGENT_DECISIONS = ['accept', 'drop', 'reject', 'observed'] as const;
export type AgentDecision = (typeof AGENT_DECISIONS)[number];

/** Where a flow was seen. Servers accept other names too: a newer agent may know more. */
export const COLLECTORS = ['ebpf', 'ring', 'conntrack', 'firewall_log', 'kernel_log', 'interface'] as const;
export type Collector = (typeof COLLECTORS)[number];

/** What someone edited on a hypervisor. */
export const EDITED_OBJECTS = ['guest_firewall', 'guest_config', 'cluster_firewall'] as const;
