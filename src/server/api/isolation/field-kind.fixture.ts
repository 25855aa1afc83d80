/** Of what the id in a field of this name is, whatever the call. */
const BY_NAME: Readonly<Record<string, string>> = {
  actor_id: 'user',
  add: 'workload',
  audit_record_id: 'audit_record',
  change_id: 'change',
  channel_id: 'notification_channel',
  flow_exporter_id: 'flow_exporter',
  forwarding_destination_id: 'forwarding_destination',
  channel_ids: 'notification_channel',
  cluster_id: 'cluster',
  cluster_ids: 'cluster',
  conflict_id: 'conflict',
  conversation_id: 'conversation',
  delivery_id: 'notification_delivery',
  deployment_id: 'deployment',
  destination_workload_id: 'workload',
  drift_id: 'drift',
  drift_ids: 'drift',
  ids: 'notification',
  group_id: 'security_group',
  hygiene_finding_id: 'hygiene_finding',
  impact_id: 'impact',
  interface_id: 'interface',
  ip_address_id: 'ip_address',
  ip_range_id: 'ip_range',
  netbox_source_id: 'netbox_source',
  network_id: 'network',
  node_id: 'node',
  operation_id: 'operation',
  parent_id: 'subnet',
  passkey_id: 'passkey',
  policy_id: 'policy',
  policy_test_id: 'policy_test',
  project_id: 'project',
  recent_ids: 'workload',
  remove: 'workload',
  rule_id: 'rule',
  saved_view_id: 'saved_view',
  security_group_id: 'security_group',
  session_id: 'session',
  source_workload_id: 'workload',
  subnet_id: 'subnet',
  suggestion_id: 'suggestion',
  tenant_id: 'tenant',
  through: 'notification',
  token_id: 'api_token',
  user_id: 'user',
  workload_id: 'workload',
  workload_ids: 'workload',
};

/** What kind of object the field `id` of a procedure identifies, by its router or by the procedure. */
const BY_ROUTER: Readonly<Record<string, string>> = {
  'account.allowToken': 'api_token',
  'account.endSession': 'session',
  'account.removePasskey': 'passkey',
  'account.renamePasskey': 'passkey',
  'account.revokeToken': 'api_token',
  audit: 'audit_record',
  changes: 'change',
  conversations: 'conversation',
  coverage: 'policy',
  deployments: 'deployment',
  drift: 'drift',
  hygiene: 'hygiene_finding',
  impacts: 'impact',
  'impacts.ofPolicy': 'policy',
  insights: 'workload',
  ipAddresses: 'ip_address',
  ipRanges: 'ip_range',
  flowExporters: 'flow_exporter',
  forwarding: 'forwarding_destination',
  ipamConflicts: 'conflict',
  netbox: 'netbox_source',
  networks: 'network',
  'notificationChannels.delivery': 'notification_delivery',
  'notificationChannels.retryDelivery': 'notification_delivery',
  notificationChannels: 'notification_channel',
  notificationRules: 'notification_rule',
  policies: 'policy',
  policyTests: 'policy_test',
  projects: 'project',
  savedViews: 'saved_view',
  securityGroups: 'security_group',
  subnets: 'subnet',
  suggestions: 'suggestion',
  tenants: 'tenant',
  workloads: 'workload',
};

/**
 * Of what the id at a place of an input is: `workload`, `policy` …, as in `Side.ids`.
 * @throws Error that says what to add, for a field that is new here
 */
export function getFieldKind({ name, path: call }: { name: string; path: string }, path: readonly string[]): string {
  const field = path.filter((part) => part !== '[]').at(-1) ?? '';
  const kind =
    field === 'rule_id' && /notification/i.test(call)
      ? 'notification_rule'
      : field === 'id'
        ? (BY_ROUTER[call] ?? BY_ROUTER[call.split('.')[0] ?? ''])
        : BY_NAME[field];
  if (kind !== undefined) return kind;
  throw new Error(
    `${name} takes an id in ${path.join('.')}. Say in field-kind.fixture.ts of what it is, and give both tenants one in two-tenants.fixture.ts.`,
  );
}
