import type { ACTOR_KINDS } from '@/domain/audit';

export const ACTOR_KIND_LABELS: Record<(typeof ACTOR_KINDS)[number], string> = {
  user: 'User',
  system: 'System',
  agent: 'Agent',
  anonymous: 'Not signed in',
};

/** Families of actions as `<family>.*`, the form in which the service filters them. */
export const ACTION_FAMILIES = [
  { value: 'auth.*', label: 'Sign-in and sign-out' },
  { value: 'auth.login_failed', label: 'Failed sign-ins' },
  { value: 'cluster.*', label: 'Clusters' },
  { value: 'workload.*', label: 'Workloads' },
  { value: 'network.*', label: 'Networks' },
  { value: 'subnet.*', label: 'Subnets' },
  { value: 'ip_address.*', label: 'Addresses' },
  { value: 'ip_range.*', label: 'Address ranges' },
  { value: 'ipam.*', label: 'Discovery and import' },
  { value: 'ipam_conflict.*', label: 'Address conflicts' },
  { value: 'policy.*', label: 'Policies' },
  { value: 'security_group.*', label: 'Security groups' },
  { value: 'settings.*', label: 'Settings' },
  { value: 'setup.*', label: 'Setup' },
  { value: 'user.*', label: 'Users' },
  { value: 'role.*', label: 'Roles' },
  { value: 'tenant.*', label: 'Tenants' },
  { value: 'project.*', label: 'Projects' },
  { value: 'mapping_rule.*', label: 'Mapping rules' },
  { value: 'api_token.*', label: 'API tokens' },
  { value: 'agent.*', label: 'Agents' },
  { value: 'audit.*', label: 'Retention of the trail' },
  { value: 'notification_rule.*', label: 'Notification rules' },
  { value: 'notification_channel.*', label: 'Notification channels' },
] as const;

/** What a record can be about, as the service calls it. */
export const OBJECT_KINDS = [
  { value: 'cluster', label: 'Cluster' },
  { value: 'node', label: 'Node' },
  { value: 'workload', label: 'Workload' },
  { value: 'network', label: 'Network' },
  { value: 'subnet', label: 'Subnet' },
  { value: 'ip_address', label: 'Address' },
  { value: 'ip_range', label: 'Address range' },
  { value: 'ipam_conflict', label: 'Address conflict' },
  { value: 'ipam_import', label: 'Import' },
  { value: 'policy', label: 'Policy' },
  { value: 'security_group', label: 'Security group' },
  { value: 'user', label: 'User' },
  { value: 'role', label: 'Role' },
  { value: 'tenant', label: 'Tenant' },
  { value: 'project', label: 'Project' },
  { value: 'mapping_rule', label: 'Mapping rule' },
  { value: 'settings', label: 'Settings' },
  { value: 'audit_trail', label: 'Audit trail' },
  { value: 'notification_rule', label: 'Notification rule' },
  { value: 'notification_channel', label: 'Notification channel' },
  { value: 'notification_delivery', label: 'Notification delivery' },
] as const;

const WORDS: Record<string, string> = {
  'workload.assigned': 'Workloads: assigned by hand',
  'workload.mapped': 'Workloads: moved by mapping rules',
  'workload.left_to_rules': 'Workloads: left to mapping rules',
  'audit.pruned': 'Audit trail: old records removed',
  'auth.login': 'Signed in',
  'auth.logout': 'Signed out',
  'auth.login_failed': 'Sign-in failed',
  'auth.password_changed': 'Changed their password',
  'auth.sessions_ended': 'Ended sign-ins',
  'auth.second_factor_set_up': 'Set up a second factor',
  'auth.second_factor_removed': 'Switched their second factor off',
  'auth.recovery_codes_renewed': 'Made new recovery codes',
  'user.identity_linked': 'User: linked to an account at the sign-in provider',
  'user.identity_unlinked': 'User: parted from an account at the sign-in provider',
  'settings.sign_in_provider_updated': 'Changed the sign-in provider',
  'user.second_factor_reset': 'User: second factor taken away',
  'auth.refresh_reused': 'Sign-in ended: its token was used twice',
};

/** `policy.default_action_set` -> "Policy: default action set". Actions are stored words, so this holds for later ones too. */
export function actionText(action: string): string {
  const known = WORDS[action];
  if (known) return known;
  const words = (text: string) => text.replaceAll('_', ' ');
  const [family = '', ...rest] = action.split('.');
  const text = rest.length > 0 ? `${words(family)}: ${words(rest.join('.'))}` : words(family);
  return text.replace(/^./, (first) => first.toUpperCase());
}
