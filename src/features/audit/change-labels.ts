import type { AuditField } from '@/domain/audit-fields';
import type { MaintenanceWindow } from '@/domain/change/maintenance';
import type { SecurityRule } from '@/domain/policies';
import { formatDateTime } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { formatWindow, ON_EXPIRY_LABELS, SCOPE_LABELS } from '../shared/change-rule-labels';
import { DEPLOYMENT_RUN_LABELS, KIND_LABELS as RUN_KINDS, TRIGGER_LABELS } from '../shared/deployment-run-labels';
import { MODE_LABELS } from '../shared/enforcement-mode';
import { ADDRESS_STATE_LABELS } from '../shared/ipam/address-state';
import { CONDITION_LABELS } from '../shared/notification-labels';
import { PERMISSION_LABELS } from '../shared/permissions/permission-labels';
import { securityRuleText } from '../shared/security-rule-labels';
import { DEFAULT_LABELS, DIRECTION_LABELS, TIER_LABELS, VISIBILITY_LABELS } from '../shared/tier-labels';
import { type Fields, isFields } from './change-diff';

/** Fields of audit records as the forms and lists of the console call them. */
export const CHANGE_LABELS: Readonly<Record<AuditField, string>> = {
  accepted_reason: msg('Acceptance reason'),
  accepted_until: msg('Accepted until'),
  action: msg('Action'),
  active: msg('Account active'),
  added: msg('Added'),
  address: msg('Address'),
  addresses: msg('Addresses'),
  addresses_deleted: msg('Addresses deleted'),
  addresses_moved: msg('Addresses moved'),
  agent_version: msg('Agent version'),
  api_url: msg('API address'),
  approval_scope: msg('Approval applies to'),
  approvals_required: msg('Approvals required'),
  assignments: msg('Roles'),
  audit_retention_days: msg('Audit record retention'),
  auto_ipam_sync_enabled: msg('Discover addresses automatically'),
  auto_ipam_sync_interval_minutes: msg('Minutes between discoveries'),
  auto_node_sync_enabled: msg('Sync all clusters automatically'),
  auto_node_sync_interval_minutes: msg('Minutes between syncs'),
  base_dn: msg('Base DN of users'),
  bind_dn: msg('Bind DN'),
  change_approval_scope: msg('Approval applies to'),
  change_approvals_required: msg('Approvals required'),
  changed: msg('Changed'),
  channel_ids: msg('Send to'),
  channels: msg('Send to'),
  cidr: msg('Prefix'),
  cleanup: msg('Cleanup'),
  client_id: msg('Client ID'),
  close_after_minutes: msg('Recovered after'),
  cluster_id: msg('Cluster'),
  cluster_name: msg('Cluster'),
  node_name: msg('Node'),
  cluster_traffic_high: msg('Cluster traffic above threshold'),
  code: msg('Error code'),
  comment: msg('Comment'),
  commit: msg('Commit'),
  conditions: msg('Report when'),
  configured: msg('Configured'),
  conflicts: msg('Conflicts'),
  connect: msg('Connect'),
  content_hash: msg('Hash of the content'),
  coverage_low: msg('Coverage below threshold'),
  create_users: msg('Create an account at the first sign-in'),
  created: msg('Created'),
  days: msg('Days'),
  default_action: msg('Default policy'),
  deleted_with_it: msg('Also deleted'),
  deployment_id: msg('Deployment'),
  deployment_ids: msg('Deployments'),
  deployments: msg('Deployments'),
  description: msg('Description'),
  destination_ports: msg('Destination ports'),
  dhcp_enabled: msg('A DHCP server assigns addresses here'),
  direction: msg('Direction'),
  disabled_filter: msg('Filter of disabled accounts'),
  dns_servers: msg('DNS servers'),
  drops_high: msg('Drops above threshold'),
  dry_run: msg('Dry run'),
  edits: msg('Edits'),
  email: msg('Email address'),
  email_attribute: msg('Email attribute'),
  enabled: msg('Enabled'),
  ended_programs: msg('API tokens revoked'),
  ended_sessions: msg('Sessions ended'),
  enforcement_mode: msg('Enforcement'),
  enrolment_id: msg('Enrollment'),
  errors: msg('Errors'),
  errors_total: msg('Errors'),
  expect: msg('Expectation'),
  expires_at: msg('Expires'),
  external_id: msg('ID in the cluster'),
  failed: msg('Failed'),
  filter_tag: msg('Only with tag'),
  filter_tenant: msg('Only of tenant'),
  filters: msg('Filters'),
  finish: msg('Finish'),
  first_address: msg('First address'),
  flow_retention_hours: msg('Flow retention'),
  flows: msg('Flows'),
  format: msg('Format'),
  from: msg('From'),
  from_address: msg('Sender address'),
  gateway: msg('Gateway'),
  group: msg('Group'),
  group_base_dn: msg('Base DN of groups'),
  group_claim: msg('Groups claim'),
  group_filter: msg('Group filter'),
  group_source: msg('Groups from'),
  groups: msg('Groups'),
  guests: msg('Workloads'),
  has_api_token: msg('API token stored'),
  has_ca_certificate: msg('CA certificate'),
  has_ca_certificates: msg('Own certificate authorities'),
  has_header_value: msg('Header value set'),
  has_new_api_token: msg('API token replaced'),
  has_new_client_secret: msg('Client secret replaced'),
  has_new_header_value: msg('New header value'),
  has_new_secret: msg('Password replaced'),
  has_new_smtp_password: msg('Mail password replaced'),
  has_new_token: msg('New token entered'),
  header_name: msg('Header'),
  history_retention_days: msg('History retention'),
  host: msg('Host'),
  hostname: msg('Host name'),
  icmp_type: msg('ICMP type'),
  id: msg('ID'),
  id_attribute: msg('ID attribute'),
  impact: msg('Impact'),
  impact_id: msg('Impact'),
  in_app: msg('Show in the bell menu'),
  interface_id: msg('Interface'),
  interfaces: msg('Interfaces'),
  ip_addresses: msg('Addresses'),
  issuer: msg('Issuer'),
  key_id: msg('Key'),
  kind: msg('Kind'),
  label: msg('Name'),
  last_address: msg('Last address'),
  leases: msg('DHCP leases'),
  link_by_email: msg('Link accounts by verified email address'),
  live: msg('Live content'),
  locked_seconds: msg('Locked for seconds'),
  log: msg('Log'),
  log_new_rules: msg('Log new rules'),
  mac: msg('MAC address'),
  machine_id: msg('Machine ID'),
  maintenance_windows: msg('Maintenance windows'),
  managed_by: msg('Managed as code by'),
  mapping_rules: msg('Mapping rules'),
  mappings: msg('Roles of groups'),
  max_message_bytes: msg('Largest message (bytes)'),
  max_uses: msg('Uses allowed'),
  max_wait_hours: msg('Hours to wait'),
  member_tags: msg('Members by tag'),
  member_tags_match: msg('Tag match'),
  members_total: msg('Members'),
  message: msg('Message'),
  method: msg('Method'),
  minutes: msg('Minutes'),
  mode: msg('Mode'),
  name: msg('Name'),
  name_attribute: msg('Name attribute'),
  nested_groups: msg('Nested groups'),
  netbox_source_id: msg('NetBox source'),
  network_id: msg('Network'),
  networks: msg('Networks'),
  newly_blocked: msg('Newly blocked'),
  node_ids: msg('Nodes'),
  nodes: msg('Nodes'),
  note: msg('Note'),
  notes: msg('Notes'),
  notify_recovery: msg('Also report recovery'),
  ok: msg('Succeeded'),
  on_expiry: msg('Expired rules and policies'),
  on_move: msg('Rules on departing workloads'),
  open_after_minutes: msg('Report after'),
  override_tests: msg('Overridden policy tests'),
  overwrite: msg('Conflicts overwritten'),
  owner: msg('Owner'),
  page: msg('Page'),
  partial: msg('Partial'),
  passkey: msg('Passkey'),
  password_sign_in: msg('Allow password sign-in'),
  permissions: msg('Permissions'),
  places: msg('Encrypted values'),
  policies: msg('Policies'),
  policy_id: msg('Policy'),
  policy_name: msg('Policy'),
  policy_on_expiry: msg('Expired rules and policies'),
  policy_recertification_days: msg('Recertification period'),
  policy_version: msg('Policy version'),
  port: msg('Port'),
  ports: msg('Ports'),
  position: msg('Position'),
  preview_id: msg('Check'),
  previewed_workloads: msg('Workloads in preview'),
  previous_secret_until: msg('Old secret expires'),
  priority: msg('Priority'),
  problems: msg('Problems'),
  project: msg('Project'),
  project_assigned_by: msg('Assigned by'),
  project_id: msg('Project'),
  protected: msg('Protected'),
  protocol: msg('Protocol'),
  proved_by: msg('Confirmed by'),
  public_client: msg('Public client (no secret)'),
  public_url: msg('Public URL'),
  query: msg('URL filters'),
  reason: msg('Reason'),
  recertification_days: msg('Recertification period'),
  recipients: msg('Recipients'),
  records: msg('Records'),
  remedy: msg('Remedy'),
  removed: msg('Removed'),
  replaced_reporting_agent: msg('Replaced a reporting agent'),
  reported: msg('Had reported'),
  require_group: msg('Only members of mapped groups'),
  requires_second_factor: msg('Second factor required'),
  resealed: msg('Encrypted again'),
  resolution: msg('Resolution'),
  retention_days: msg('Retention in days'),
  retry_of: msg('Retry of deployment'),
  role: msg('Role'),
  role_id: msg('Role'),
  roles: msg('Roles'),
  rotated_at: msg('Token replaced'),
  rows_bad: msg('Rows with errors'),
  rows_total: msg('Rows'),
  rule: msg('Rule'),
  rule_placement: msg('Position of managed rules'),
  rules: msg('Rules'),
  run_id: msg('Run ID'),
  scopes: msg('Scopes'),
  sdn: msg('SDN'),
  second_factor: msg('Second factor'),
  second_factor_removed: msg('Second factor turned off'),
  security: msg('Encryption'),
  security_group_id: msg('Security group'),
  seen: msg('Seen'),
  sha256: msg('SHA-256'),
  sign_in_revoked: msg('Session ended'),
  sign_out_at_provider: msg('Also sign out at the provider'),
  since: msg('Since'),
  skipped: msg('Skipped'),
  slug: msg('Slug'),
  smtp_host: msg('Mail server'),
  smtp_port: msg('Mail server port'),
  smtp_security: msg('Mail server security'),
  smtp_username: msg('Mail server username'),
  source: msg('Criterion'),
  source_ports: msg('Source ports'),
  sources: msg('From'),
  state: msg('State'),
  status: msg('Status'),
  streams: msg('Records'),
  subject: msg('Account at the provider'),
  subnet_id: msg('Prefix'),
  subnets: msg('Prefixes'),
  suspended_programs: msg('API tokens suspended'),
  tag: msg('Tag'),
  targets: msg('To'),
  template: msg('Template'),
  tenant: msg('Tenant'),
  tenant_id: msg('Tenant'),
  tenant_visibility: msg('Visible to tenants'),
  tenants: msg('Tenants'),
  tests: msg('Policy tests'),
  thresholds: msg('Thresholds'),
  through_hash: msg('Hash of last record'),
  through_seq: msg('Up to record'),
  ticket: msg('Ticket'),
  tier: msg('Evaluation'),
  time_zone: msg('Time zone in messages'),
  title: msg('Title'),
  tls_fingerprint: msg('Certificate fingerprint'),
  to: msg('To'),
  transport: msg('Transport'),
  trigger: msg('Trigger'),
  trusts_second_factor: msg('Provider enforces a second factor'),
  unchanged: msg('Unchanged'),
  unreadable: msg('Unreadable'),
  updated: msg('Updated'),
  url: msg('URL'),
  url_changed: msg('URL replaced'),
  url_origin: msg('URL'),
  urls: msg('Servers'),
  usable: msg('Usable'),
  user: msg('User'),
  user_filter: msg('User filter'),
  users: msg('Users'),
  uses: msg('Uses'),
  value: msg('Value'),
  version: msg('Version'),
  vlan: msg('VLAN'),
  vlan_tag: msg('VLAN'),
  vmids: msg('VMIDs'),
  vrf: msg('VRF'),
  workload_id: msg('Workload'),
  workload_ids: msg('Limited to workloads'),
  workload_traffic_high: msg('Workload traffic above threshold'),
  workloads: msg('Workloads'),
  writes: msg('Writes'),
};

/** Fields that only hold others: the console shows those without them. */
const TRANSPARENT = new Set(['counters', 'definition']);

/** `vlan_tag` → "Vlan tag": a field that has no label here, such as that of an earlier release. */
const plainName = (field: string): string =>
  field
    .replace(/_ids?$/, '')
    .replaceAll('_', ' ')
    .replace(/^./, (first) => first.toUpperCase());

/** Names come from records, which may hold `constructor` as well. */
const labelIn = (labels: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(labels, name) ? labels[name] : undefined;

/** What the console calls a field; those inside of another are named after it. */
export const fieldLabel = (t: Translate, path: readonly string[]): string =>
  path
    .filter((field) => !TRANSPARENT.has(field))
    .map((field) => {
      const label = labelIn(CHANGE_LABELS, field);
      return label === undefined ? plainName(field) : t(label);
    })
    .join(', ') || t('Value');

/** Names of things by their ids, as far as the reader may see them. */
export type Names = ReadonlyMap<string, string>;

const toLabels = (labels: Readonly<Record<string, { label: string } | { word: string }>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels).map(([value, label]) => [value, 'label' in label ? label.label : label.word]),
  );

/** Values of fields that have a closed set of them, as the forms call them. */
const VALUE_LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  approval_scope: SCOPE_LABELS,
  change_approval_scope: SCOPE_LABELS,
  conditions: toLabels(CONDITION_LABELS),
  default_action: toLabels(DEFAULT_LABELS),
  direction: toLabels(DIRECTION_LABELS),
  enforcement_mode: toLabels(MODE_LABELS),
  kind: RUN_KINDS,
  permissions: { ...PERMISSION_LABELS, '*': msg('All permissions, including future ones') },
  state: toLabels(ADDRESS_STATE_LABELS),
  status: toLabels(DEPLOYMENT_RUN_LABELS),
  tenant_visibility: toLabels(VISIBILITY_LABELS),
  tier: toLabels(TIER_LABELS),
  trigger: TRIGGER_LABELS,
  on_expiry: ON_EXPIRY_LABELS,
  policy_on_expiry: ON_EXPIRY_LABELS,
  on_move: { remove: msg('Remove rules'), keep: msg('Keep until removed manually') },
  rule_placement: { above: msg('Before unmanaged rules'), below: msg('After unmanaged rules') },
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

const isRule = (value: Fields): value is SecurityRule =>
  ['action', 'protocol', 'destination_ports', 'source_ports', 'log', 'enabled'].every((field) => field in value);

const isWindow = (value: Fields): value is MaintenanceWindow =>
  ['days', 'from', 'minutes', 'time_zone'].every((field) => field in value);

/** An assigned role, or the role of a sign-in provider's group: its scope and when it expires. */
function roleText(t: Translate, entry: Fields, names: Names): string {
  const text = (field: string) => valueText(t, [field], entry[field], names);
  const place = (['project', 'project_id', 'tenant', 'tenant_id'] as const).find(
    (field) => typeof entry[field] === 'string',
  );
  const parts = [
    ...(entry.group === undefined ? [] : [text('group')]),
    text('role'),
    place ? text(place) : t('Whole installation'),
    ...(typeof entry.expires_at === 'string' ? [t('until {time}', { time: formatDateTime(entry.expires_at) })] : []),
  ];
  return parts.join(' · ');
}

/** An object in one line. */
function fieldsText(t: Translate, value: Fields, names: Names): string {
  if (isRule(value)) return securityRuleText(t, value);
  if (isWindow(value)) return formatWindow(t, value);
  if ('role' in value && ('tenant_id' in value || 'tenant' in value)) return roleText(t, value, names);
  if (typeof value.name === 'string') return value.name;
  const shown = Object.entries(value).filter(([, inner]) => inner !== null && inner !== '');
  return shown.map(([field, inner]) => `${fieldLabel(t, [field])}: ${valueText(t, [field], inner, names)}`).join('; ');
}

/** A value as the console shows it: labels of choices, names instead of ids, times in the reader's zone. */
export function valueText(t: Translate, path: readonly string[], value: unknown, names: Names): string {
  if (value === undefined) return '';
  if (value === null || value === '') return t('(empty)');
  if (Array.isArray(value)) {
    return value.length === 0 ? t('(empty)') : value.map((entry) => valueText(t, path, entry, names)).join(', ');
  }
  if (isFields(value)) return fieldsText(t, value, names) || t('(empty)');
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  if (typeof value === 'number') return String(value);
  const text = String(value);
  if (text === '[redacted]') return t('(hidden)');
  const field = path.at(-1) ?? '';
  const labels = VALUE_LABELS[field];
  const label = labels && labelIn(labels, text);
  if (label !== undefined) return t(label);
  if (TIME.test(text) && !Number.isNaN(Date.parse(text))) return formatDateTime(text);
  // An endpoint may name a group by its id.
  const [, prefix = '', id = ''] = /^([a-z]+:)?([0-9a-f-]{36})$/.exec(text) ?? [];
  const name = names.get(id);
  return name === undefined ? text : `${prefix}${name}`;
}
