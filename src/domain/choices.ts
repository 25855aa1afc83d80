// What can be chosen, sorted and filtered by. Pages need these words without the schemas that check them.

export const MAX_TOKEN_DAYS = 366;

export const ACTOR_KINDS = ['user', 'system', 'agent', 'anonymous'] as const;

export const MIN_PASSWORD_LENGTH = 12;

export const CLUSTER_SORTS = ['name', 'api_url', 'sync_status', 'last_sync_at', 'created_at'] as const;
export const RULE_PLACEMENTS = ['above', 'below'] as const;
/** Which changes need approval: those that change rules on a hypervisor, or every change. */
export const APPROVAL_SCOPES = ['enforcing', 'all'] as const;
/** What becomes of expired rules and policies: only reported, or removed by a change. */
export const ON_EXPIRY = ['report', 'remove'] as const;
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const SYNC_STATUSES = ['never', 'queued', 'running', 'ok', 'failed'] as const;

/**
 * `removal`: what a policy left on workloads that went to another tenant is removed, by the system. `log_removal`: rules of a
 * confirmed change are no longer logged.
 */
export const DEPLOYMENT_KINDS = ['apply', 'cleanup', 'removal', 'log_removal'] as const;
/** Level at which the console has new rules logged until their change is confirmed. */
export const DEFAULT_TEMPORARY_LOG = 'info';
/** `partial`: something was done and something was not; the results of the guests say what. */
export const DEPLOYMENT_RUN_STATUSES = ['queued', 'running', 'ok', 'partial', 'failed'] as const;

/** Verdicts of stored flows: three from firewall log lines, `observed` when no line decided. */
export const FLOW_DECISIONS = ['accept', 'drop', 'reject', 'observed'] as const;

/** By what flows are summed up: the pair of workloads (else subnets), one end's address, the service, verdict or node. */
export const FLOW_GROUPINGS = ['workloads', 'source', 'destination', 'service', 'decision', 'node'] as const;
export const FLOW_GROUP_SORTS = ['bytes', 'packets', 'flows', 'last_seen_at'] as const;

/** Why a conversation probably passed although the rules deny it. */
export const ESCAPE_REASONS = ['broken_link', 'older_connection', 'log_disagrees', 'not_explained'] as const;
export const ESCAPED_SORTS = ['last_seen_at', 'first_seen_at'] as const;

export const FLOW_SORTS = [
  'observed_at',
  'first_seen_at',
  'source_ip',
  'destination_ip',
  'protocol',
  'destination_port',
  'decision',
  'bytes',
  'packets',
] as const;

/**
 * Which flows of a workload are looked at: those towards it, from it, with the other end inside or outside the known
 * subnets, or those that a firewall log line says were dropped or rejected.
 */
export const TRAFFIC_MODES = ['all', 'inbound', 'outbound', 'internal', 'external', 'denied'] as const;

/**
 * - `duplicate_address`: a second workload was seen with an address that another one holds
 * - `duplicate_mac`: two interfaces of the cluster have the same MAC address
 * - `outside_subnet`: the network of the interface has subnets, and the address is in none of them
 * - `reserved_in_use`: a workload uses an address that is reserved for no one or for someone else
 * - `moved_address`: another interface had the address before
 * - `spoofed_address`: an interface sends from an address that is someone else's, or that its IP filter forbids
 * - `stale_address`: no source sees the address although its workload runs
 * - `unmanaged_address`: an address in a known prefix is in use and not registered
 */
export const CONFLICT_KINDS = [
  'duplicate_address',
  'duplicate_mac',
  'outside_subnet',
  'reserved_in_use',
  'moved_address',
  'spoofed_address',
  'stale_address',
  'unmanaged_address',
] as const;
/** Whose a spoofed address is: of someone who says so, of someone to whom it is registered, or not the sender's by its IP filter. */
export const SPOOFED_REASONS = ['held', 'registered', 'ip_filter'] as const;
export const CONFLICT_SORTS = ['created_at', 'kind', 'status', 'address'] as const;

export const IMPORT_KINDS = ['addresses', 'subnets'] as const;
/** What an import reads: a CSV file of one kind, or a NetBox. */
export const IMPORT_RUN_KINDS = [...IMPORT_KINDS, 'netbox'] as const;
/** What a change of an import is about. */
export const IMPORT_OBJECTS = ['subnet', 'address', 'member'] as const;
export const NETBOX_SOURCE_SORTS = ['name', 'created_at', 'updated_at'] as const;

export const ADDRESS_SORTS = [
  'address',
  'state',
  'source',
  'hostname',
  'cluster_name',
  'network_name',
  'workload_name',
  'last_seen_at',
  'created_at',
  'updated_at',
] as const;
/** Sources of sightings: the guest itself, the address management of SDN, configured addresses, and packets at the interface. */
export const SIGHTING_SOURCES = ['agent', 'sdn', 'config', 'cloudinit', 'traffic'] as const;
export const ADDRESS_SOURCES = ['agent', 'sdn', 'config', 'cloudinit', 'manual'] as const;
export const ADDRESS_STATES = ['active', 'reserved', 'dhcp', 'stale', 'conflict'] as const;
export const MAX_BULK = 500;
/** The states a person may set; `stale` and `conflict` are what the discovery finds. */
export const SETTABLE_STATES = ['active', 'reserved', 'dhcp'] as const;

export const RANGE_KINDS = ['dhcp', 'reserved'] as const;

export const IPAM_SOURCES = ['provider', 'discovery', 'manual'] as const;
export const SUBNET_SORTS = ['cidr', 'network_name', 'cluster_name', 'vlan_tag', 'created_at', 'updated_at'] as const;

export const DEFAULT_MAPPING_PRIORITY = 1000;
export const MAPPING_RULE_SORTS = ['priority', 'value', 'project_name', 'created_at', 'updated_at'] as const;
export const MAPPING_SOURCES = ['pool', 'tag'] as const;
/** Workloads that a preview names one by one. */
export const MAX_PREVIEWED = 200;

export const DELIVERY_SORTS = ['created_at', 'channel_name', 'status'] as const;
/** `queued` also between two tries. */
export const DELIVERY_STATUSES = ['queued', 'sending', 'sent', 'failed'] as const;

export const INCIDENT_SORTS = ['first_seen_at', 'condition', 'object_name', 'status'] as const;
/** `pending`: seen, but not for long enough to be reported. */
export const INCIDENT_STATUSES = ['pending', 'open', 'closed'] as const;

/** `closed` is the notice of recovery. */
export const NOTIFICATION_EVENTS = ['opened', 'closed', 'test'] as const;

/** What owners of policies are reminded of. */
export const REMINDER_KINDS = ['expiring', 'expired', 'due', 'overdue'] as const;

export const RULE_SORTS = ['name', 'created_at', 'updated_at'] as const;

export const PACKET_PROTOCOLS = ['tcp', 'udp', 'icmp', 'icmpv6', 'sctp'] as const;

/** Fields of a policy by which the list is sorted; `order` is that of evaluation. */
export const POLICY_FIELD_SORTS = [
  ...(['name', 'priority', 'owner', 'next_expiry_at', 'version', 'created_at', 'updated_at'] as const),
] as const;
export const POLICY_SORTS = ['order', ...POLICY_FIELD_SORTS] as const;

/** Whether a policy has to be confirmed: `due` when its period ended, `overdue` 14 days later. */
export const RECERTIFICATION_STATUSES = ['overdue', 'due', 'not_due'] as const;
/** How often policies are confirmed, in days. */
export const RECERTIFICATION_PERIODS = [90, 180, 365] as const;
export const RECERTIFICATION_SORTS = ['due_at', 'name', 'owner', 'confirmed_at'] as const;

/** By when a policy or one of its rules expires next: `soon` within 30 days, `never` at no time. */
export const POLICY_EXPIRIES = ['expired', 'soon', 'later', 'never'] as const;

export const POLICY_TEST_EXPECTATIONS = ['allow', 'deny'] as const;
/** `unknown`: there is no result, for example over an empty group. Never counts as passed. */
export const POLICY_TEST_RESULTS = ['pass', 'fail', 'unknown'] as const;
export const IMPACT_STATUSES = ['running', 'done', 'failed'] as const;
/** What a change does to conversations, most harmful first. */
export const IMPACT_OUTCOMES = ['newly_blocked', 'unknown', 'newly_allowed', 'still_blocked', 'still_allowed'] as const;
/** Why the effect on a conversation is unknown. */
export const IMPACT_UNKNOWN_REASONS = [
  /** Only a prefix is stored, and the rules treat its addresses differently. */
  'prefix_split',
  /** The live state of a workload at an end could not be read, or not completely. */
  'unreadable',
  /** The verdict depends on something that is not stored, such as the source port, the ICMP type or which end opened it. */
  'not_stored',
  /** More addresses or ports than are tried. */
  'too_many',
] as const;
export const IMPACT_SORTS = ['outcome', 'bytes', 'flows', 'last_seen_at', 'client', 'server', 'port'] as const;
export const CHANGE_SORTS = ['created_at', 'updated_at', 'title'] as const;
export const POLICY_TEST_SORTS = ['name', 'result', 'failing_since', 'checked_at', 'created_at', 'updated_at'] as const;
export const SAVED_VIEW_SORTS = ['name', 'created_at', 'updated_at'] as const;

/** Workloads that one call may assign. */
export const MAX_ASSIGNED = 2_000;
export const PROJECT_SORTS = ['name', 'tenant_name', 'created_at', 'updated_at'] as const;

/** Workloads named in one request. */
export const MAX_BULK_MEMBERS = 2_000;
export const MEMBER_SOURCES = ['manual', 'tag'] as const;
export const SECURITY_GROUP_MEMBER_SORTS = ['workload_name', 'vmid', 'cluster_name', 'status', 'source'] as const;
export const SECURITY_GROUP_SORTS = ['name', 'members_total', 'created_at', 'updated_at'] as const;
export const TAG_MATCHES = ['any', 'all'] as const;

/** Path of the redirect URI of the sign-in provider, below the public address. */
export const OIDC_CALLBACK_PATH = '/api/v1/auth/oidc/callback';
/** Where the sign-in provider sends people back to after they signed out there. */
export const OIDC_SIGNED_OUT_PATH = '/api/v1/auth/oidc/signed-out';
/** Why signing in through the provider failed, as reported to the sign-in page. */
export const PROVIDER_PROBLEMS = [
  'disabled',
  'unreachable',
  'refused',
  'expired',
  'invalid',
  'unknown_account',
  'email_not_verified',
  'email_taken',
  'inactive',
  'groups_unknown',
  'too_many',
] as const;

/** What an address discovery does, in this order. */
export const IPAM_STAGES = ['connect', 'leases', 'guests', 'addresses', 'conflicts', 'finish'] as const;
export const RUN_KINDS = ['inventory', 'ipam'] as const;
export const RUN_STATUSES = ['queued', 'running', 'ok', 'failed'] as const;
/** What a sync does, in this order: networks come before the guests that are attached to them. */
export const SYNC_STAGES = ['connect', 'nodes', 'networks', 'sdn', 'guests', 'interfaces', 'finish'] as const;

export const USER_SORTS = ['email', 'name', 'active', 'last_login_at', 'created_at'] as const;

/**
 * Whether the firewall is on at the interfaces of a guest, as last read: on at all of them, certainly off at one,
 * unknown for some, or the guest has no interface. What the firewall does there is its `protection`.
 */
export const WORKLOAD_ENFORCEMENTS = ['enforced', 'unenforced', 'unknown', 'without_interface'] as const;
export const WORKLOAD_KINDS = ['qemu', 'lxc'] as const;
export const WORKLOAD_SORTS = [
  'name',
  'vmid',
  'kind',
  'status',
  'cluster_name',
  'node_name',
  'project_name',
  'pool',
  'cpu_count',
  'memory_bytes',
  'started_at',
  'created_at',
] as const;
export const WORKLOAD_STATUSES = ['running', 'stopped', 'paused', 'suspended', 'unknown'] as const;

export const HOLDING_SORTS = ['from_at', 'address', 'workload_name'] as const;

export const CHANNEL_KINDS = ['webhook', 'email'] as const;
export const CHANNEL_SORTS = ['name', 'kind', 'created_at', 'updated_at'] as const;
/** What a webhook is sent: Fabric's own JSON, or the format of a receiver. */
export const CHANNEL_TEMPLATES = ['fabric', 'slack', 'teams', 'pagerduty', 'alertmanager'] as const;

/** More nodes than this are a matrix instead of a drawing. */
export const MAX_DRAWN_NODES = 200;
export const MAX_EXPANDED = 200;
/** Workloads at one end of a service that the map names. */
export const MAX_SERVICE_WORKLOADS = 20;
/** By what workloads are grouped: their project, their first tag, or the network of their first interface. */
export const TOPOLOGY_GROUPINGS = ['project', 'tag', 'network'] as const;

export const NETWORK_KINDS = ['bridge', 'ovs_bridge', 'vnet', 'discovered', 'manual'] as const;
export const NETWORK_SORTS = ['name', 'kind', 'cluster_name', 'zone', 'vlan_tag', 'interfaces_total'] as const;
export const NODE_SORTS = ['name', 'cluster_name', 'status', 'cpu_count', 'memory_bytes', 'started_at'] as const;
export const NODE_STATUSES = ['online', 'offline', 'unknown'] as const;

/** Hours for which the secret before stays valid beside a new one. */
export const GRACE_HOURS = { min: 0, max: 168, default: 24 } as const;

export const AGENT_SORTS = [
  'node_name',
  'cluster_name',
  'status',
  'agent_version',
  'last_heartbeat_at',
  'clock_offset_ms',
] as const;
export const AGENT_STATUSES = ['pending', 'ok', 'degraded', 'silent'] as const;
/** Most nodes of one enrollment token, and how long it may work. */
export const ENROLLMENT_LIMITS = { uses: 500, minutes: { least: 10, most: 7 * 24 * 60, default: 60 } } as const;

/** The least and the greatest value of each setting that is a number. */
export const SETTING_LIMITS = {
  flow_retention_hours: { min: 1, max: 365 * 24 },
  audit_retention_days: { min: 30, max: 3650 },
  history_retention_days: { min: 1, max: 730 },
  auto_node_sync_interval_minutes: { min: 5, max: 7 * 24 * 60 },
  auto_ipam_sync_interval_minutes: { min: 5, max: 7 * 24 * 60 },
  change_approvals_required: { min: 0, max: 5 },
} as const;

/**
 * Columns of the file by kind; those in the second list may be left out. A row without a cluster must fit one cluster only. Those in
 * the third list are in exported files for people to read; an import does not use them.
 */
export const IMPORT_COLUMNS = {
  addresses: {
    required: ['address'],
    optional: ['cluster', 'network', 'state', 'hostname', 'mac', 'description', 'workload'],
    unused: ['id', 'subnet', 'workload_name', 'source', 'last_seen_at'],
  },
  subnets: {
    required: ['network', 'cidr'],
    optional: ['cluster', 'gateway', 'dns_servers', 'dhcp_enabled', 'vlan_tag', 'description'],
    unused: ['id', 'source', 'used', 'capacity'],
  },
} as const satisfies Record<
  (typeof IMPORT_KINDS)[number],
  Record<'required' | 'optional' | 'unused', readonly string[]>
>;

/** Edits of one change. */
export const MAX_CHANGE_ITEMS = 500;

/** How long after its last write a change is rolled back unless confirmed, where nothing else is said. */
export const DEFAULT_CONFIRM_SECONDS = 600;

/** Everything that no workload visible to the reader has, as an end of a question about reachability. */
export const OUTSIDE = 'outside';
export const REACH_ANSWERS = ['yes', 'no', 'some', 'unknown'] as const;
export const REACH_GROUPINGS = ['group', 'network', 'tag', 'project'] as const;
/** Workloads on the way, and the destination. */
export const MAX_HOPS = 3;
export const CONVERSATION_SORTS = ['last_seen_at', 'bytes', 'duration_ms'] as const;

/** How records leave: as syslog, as JSON lines over one connection, or as JSON lines in HTTP requests. */
export const FORWARDING_KINDS = ['syslog', 'json', 'http', 'ipfix'] as const;
export const FORWARDING_STREAMS = ['audit', 'conversations'] as const;
export const FORWARDING_TRANSPORTS = ['tls', 'tcp'] as const;
export const FORWARDING_SORTS = ['name', 'kind', 'created_at', 'updated_at'] as const;
/** How long conversations wait for a receiver that is away. */
export const FORWARDING_WAIT_HOURS = { min: 1, max: 720, default: 24 } as const;
export const SYSLOG_BYTES = { min: 2048, max: 1_048_576, default: 8192 } as const;
/** Of a message in a datagram: what every network carries, up to what large frames hold beside the headers of IPv6 and UDP. */
export const IPFIX_BYTES = { min: 512, max: 8952, default: 1400 } as const;

/** Sources of flow records other than agents. */
export const EXPORTER_SORTS = ['name', 'address', 'last_seen_at', 'created_at', 'updated_at'] as const;
/** What sampled records add up to. */
export const ESTIMATE_SORTS = ['bytes', 'packets', 'samples'] as const;
export const EXPORTER_STATES = ['off', 'waiting', 'receiving', 'silent'] as const;

/** Changes kept with their fields; all of them are counted. */
export const MAX_IMPORT_CHANGES = 1000;
