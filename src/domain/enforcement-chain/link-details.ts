/** What has to hold for rules to filter the packets of an interface, from the data center's switch to the packet. */
export const CHAIN_LINKS = [
  'cluster_firewall',
  'firewall_service',
  'guest_firewall',
  'nic_flag',
  /** Only iptables: it hooks into a bridge of the interface's own. */
  'firewall_bridge',
  /** Only iptables: the kernel passes packets of bridges to it. */
  'bridge_netfilter',
  'ruleset_compiled',
  'ruleset_current',
  'default_policy',
  'open_connections',
] as const;
export type ChainLink = (typeof CHAIN_LINKS)[number];

export const LINK_STATES = ['ok', 'broken', 'unknown'] as const;
export type LinkState = (typeof LINK_STATES)[number];

/** What to do about a link, in the order in which Fabric can help: `apply_policies` has a preview, the others are done elsewhere. */
export const FIXES = {
  apply_policies: 'Apply an enforced policy to the workload; its preview shows the switches that it turns on.',
  turn_on_cluster: 'Turn on the firewall in Proxmox VE: Datacenter, Firewall, Options. Fabric never does this.',
  start_service:
    'Start the service on the node: systemctl start pve-firewall (iptables) or proxmox-firewall (nftables).',
  restart_workload: 'Stop and start the workload, or turn the firewall flag of the interface off and on.',
  set_sysctl:
    'Set net.bridge.bridge-nf-call-iptables and net.bridge.bridge-nf-call-ip6tables to 1 on the node, and find what sets them to 0.',
  correct_rule: 'Correct what cannot be compiled. The page of the node names it.',
  check_service: 'Read the log of the firewall service on the node: journalctl -u pve-firewall -u proxmox-firewall.',
  deny_by_default: 'Apply a policy that drops by default, or set the inbound policy of the workload to DROP.',
  remove_rule: 'Remove or narrow the rule that accepts everything.',
  close_connections: 'Restart the workload, or run on the node: conntrack -D --mark VMID.',
  install_agent: 'Install the agent on the node.',
  restart_agent: 'Check the agent of the node. It does not report.',
  upgrade_agent: 'Upgrade the agent of the node to 0.4.0 or later.',
  check_token: 'Check the connection to the cluster and the privileges of its API token.',
  check_agent: 'Run fabric-agent doctor on the node to see what the agent cannot read.',
  check_host_option: 'Compare the nftables option of the node with the services that run on it.',
  wait: 'Wait for the next report of the agent.',
  compare_rules:
    'Compare the log with the live rules of the workload and of its node: another rule accepted the connection.',
  test_packet:
    'Test the packet on the tab Firewall of the workload. If it is denied there, run fabric-agent doctor on the node.',
} as const;
export type Fix = keyof typeof FIXES;

type Detail = { readonly state: LinkState; readonly text: string; readonly fix?: Fix };

/** Everything that can be found about a link. Each means one state. */
export const LINK_DETAILS = {
  cluster_on: { state: 'ok', text: 'The cluster firewall is on.' },
  cluster_off: {
    state: 'broken',
    text: 'The cluster firewall is off. No workload is filtered.',
    fix: 'turn_on_cluster',
  },
  cluster_unread: { state: 'unknown', text: 'The cluster firewall could not be read.', fix: 'check_token' },

  no_agent: {
    state: 'unknown',
    text: 'Only an agent on the node sees this, and the node has none.',
    fix: 'install_agent',
  },
  agent_stale: { state: 'unknown', text: 'The agent of the node does not report.', fix: 'restart_agent' },
  agent_outdated: { state: 'unknown', text: 'The agent of the node is too old to report this.', fix: 'upgrade_agent' },

  iptables_running: { state: 'ok', text: 'pve-firewall runs on the node (iptables).' },
  nftables_running: { state: 'ok', text: 'proxmox-firewall runs on the node (nftables).' },
  service_stopped: { state: 'broken', text: 'The firewall service of the node is stopped.', fix: 'start_service' },
  service_unread: {
    state: 'unknown',
    text: 'The agent cannot read whether the firewall service runs.',
    fix: 'check_agent',
  },
  implementation_unknown: {
    state: 'unknown',
    text: 'Whether the node filters with iptables or nftables is unknown.',
    fix: 'check_token',
  },
  implementation_differs: {
    state: 'unknown',
    text: 'The node does not use the implementation that it is configured for.',
    fix: 'check_host_option',
  },

  guest_on: { state: 'ok', text: 'The firewall of the workload is on.' },
  guest_off: { state: 'broken', text: 'The firewall of the workload is off.', fix: 'apply_policies' },
  guest_unread: {
    state: 'unknown',
    text: 'The firewall options of the workload could not be read.',
    fix: 'check_token',
  },

  nic_on: { state: 'ok', text: 'The firewall flag of the interface is on.' },
  nic_off: { state: 'broken', text: 'The firewall flag of the interface is off.', fix: 'apply_policies' },
  nic_pending: {
    state: 'broken',
    text: 'The firewall flag of the interface is off until the workload is started again.',
    fix: 'restart_workload',
  },
  nic_unread: { state: 'unknown', text: 'The firewall flag of the interface could not be read.', fix: 'check_token' },

  bridge_present: { state: 'ok', text: 'The interface is on its firewall bridge.' },
  bridge_at_start: { state: 'ok', text: 'The workload is stopped. Its firewall bridge is created at the start.' },
  bridge_missing: {
    state: 'broken',
    text: 'The interface is not on its firewall bridge, so its packets bypass the rules.',
    fix: 'restart_workload',
  },
  bridge_unread: {
    state: 'unknown',
    text: 'The agent cannot read which bridge the interface is on.',
    fix: 'check_agent',
  },
  interface_absent: { state: 'unknown', text: 'The agent does not see the interface on the node.', fix: 'wait' },

  netfilter_on: { state: 'ok', text: 'The kernel passes packets of bridges to iptables.' },
  netfilter_off: {
    state: 'broken',
    text: 'The kernel does not pass packets of bridges to iptables (bridge-nf-call).',
    fix: 'set_sysctl',
  },
  netfilter_off_ipv6: {
    state: 'broken',
    text: 'The kernel does not pass IPv6 packets of bridges to ip6tables (bridge-nf-call).',
    fix: 'set_sysctl',
  },
  netfilter_unread: {
    state: 'unknown',
    text: 'Whether packets of bridges are passed to iptables could not be read.',
    fix: 'check_agent',
  },
  depends_on_implementation: {
    state: 'unknown',
    text: 'This matters only if the node filters with iptables, which is unknown.',
    fix: 'check_token',
  },

  compiled: { state: 'ok', text: 'The rules of the interface are loaded.' },
  compile_failed: {
    state: 'broken',
    text: 'The firewall of the node cannot be compiled. It keeps the previous rules.',
    fix: 'correct_rule',
  },
  compile_doubt: {
    state: 'unknown',
    text: 'One of the implementations cannot compile what is stored, and which one the node uses is unknown.',
    fix: 'correct_rule',
  },
  nothing_loaded: { state: 'broken', text: 'The node has no firewall rules loaded.', fix: 'check_service' },
  chains_missing: { state: 'broken', text: 'The rules of the interface are not loaded.', fix: 'check_service' },
  chains_unread: { state: 'unknown', text: 'The agent cannot read the loaded rules.', fix: 'check_agent' },

  loaded: { state: 'ok', text: 'The loaded rules are newer than the last edit.' },
  not_loaded: { state: 'broken', text: 'The node has not loaded the last edit.', fix: 'check_service' },
  waiting: { state: 'unknown', text: 'The agent has not reported since the last edit.', fix: 'wait' },
  age_unknown: { state: 'unknown', text: 'When the rules were edited or loaded is unknown.', fix: 'check_agent' },

  default_deny: { state: 'ok', text: 'Inbound traffic that matches no rule is denied.' },
  default_accept: {
    state: 'broken',
    text: 'Inbound traffic that matches no rule is accepted.',
    fix: 'deny_by_default',
  },
  accepts_everything: {
    state: 'broken',
    text: 'A rule without conditions accepts all inbound traffic.',
    fix: 'remove_rule',
  },
  rules_unread: { state: 'unknown', text: 'The rules of the workload could not be read.', fix: 'check_token' },

  none_open: { state: 'ok', text: 'No open connection is older than a rule that denies it.' },
  connections_open: {
    state: 'broken',
    text: 'Open connections are older than the rules that deny them. They continue until they are closed.',
    fix: 'close_connections',
  },
  connections_unread: {
    state: 'unknown',
    text: 'Connections of the workload have not been evaluated since the last edit.',
    fix: 'wait',
  },
} as const satisfies Record<string, Detail>;
export type LinkDetail = keyof typeof LINK_DETAILS;

export const LINK_DETAIL_NAMES = Object.keys(LINK_DETAILS) as [LinkDetail, ...LinkDetail[]];
export const FIX_NAMES = Object.keys(FIXES) as [Fix, ...Fix[]];

export const getDetail = (name: LinkDetail): Detail => LINK_DETAILS[name];
