import type { ACTOR_KINDS } from '@/domain/choices';
import { formatCount, formatDateTime } from '@/lib/format';
import { lowerLabel, msg, type Translate } from '@/lib/i18n/translator';
import type { RouterOutputs } from '@/lib/trpc';
import { ACTION_LABELS } from './action-labels';

export const ACTOR_KIND_LABELS: Record<(typeof ACTOR_KINDS)[number], string> = {
  user: msg('User'),
  system: msg('System'),
  agent: msg('Agent'),
  anonymous: msg('Not signed in'),
};

/** Families of actions as `<family>.*`, the form in which the service filters them. */
export const ACTION_FAMILIES = [
  { value: 'auth.*', label: msg('Sign-in and sign-out') },
  { value: 'auth.login_failed', label: msg('Failed sign-ins') },
  { value: 'cluster.*', label: msg('Clusters') },
  { value: 'workload.*', label: msg('Workloads') },
  { value: 'network.*', label: msg('Networks') },
  { value: 'subnet.*', label: msg('Prefixes') },
  { value: 'ip_address.*', label: msg('Addresses') },
  { value: 'ip_range.*', label: msg('Address ranges') },
  { value: 'ipam.*', label: msg('Discovery and import') },
  { value: 'ipam_conflict.*', label: msg('Address conflicts') },
  { value: 'policy.*', label: msg('Policies') },
  { value: 'own_workloads.*', label: msg("Fabric's own workloads") },
  { value: 'change.*', label: msg('Changes') },
  { value: 'suggestion.*', label: msg('Suggested policies') },
  { value: 'drift.*', label: msg('Drift') },
  { value: 'policy_test.*', label: msg('Policy tests') },
  { value: 'security_group.*', label: msg('Groups') },
  { value: 'settings.*', label: msg('Settings') },
  { value: 'setup.*', label: msg('Setup') },
  { value: 'user.*', label: msg('Users') },
  { value: 'role.*', label: msg('Roles') },
  { value: 'tenant.*', label: msg('Tenants') },
  { value: 'project.*', label: msg('Projects') },
  { value: 'list.*', label: msg('Exports') },
  { value: 'mapping_rule.*', label: msg('Mapping rules') },
  { value: 'saved_view.*', label: msg('Saved views') },
  { value: 'api_token.*', label: msg('API tokens') },
  { value: 'agent.*', label: msg('Agents') },
  { value: 'audit.*', label: msg('Audit retention') },
  { value: 'notification_rule.*', label: msg('Notification rules') },
  { value: 'notification_channel.*', label: msg('Notification channels') },
  { value: 'notification_delivery.*', label: msg('Notification deliveries') },
  { value: 'flow_exporter.*', label: msg('Flow exporters') },
  { value: 'forwarding_destination.*', label: msg('Forwarding destinations') },
  { value: 'netbox_source.*', label: msg('NetBox sources') },
  { value: 'secret_key.*', label: msg('Fabric secret key') },
] as const;

/** What a record can be about, as the service calls it. */
export const OBJECT_KINDS = [
  { value: 'cluster', label: msg('Cluster') },
  { value: 'node', label: msg('Node') },
  { value: 'agent_enrollment', label: msg('Enrollment token') },
  { value: 'workload', label: msg('Workload') },
  { value: 'network', label: msg('Network') },
  { value: 'subnet', label: msg('Prefix') },
  { value: 'ip_address', label: msg('Address') },
  { value: 'ip_range', label: msg('Address range') },
  { value: 'ipam_conflict', label: msg('Address conflict') },
  { value: 'ipam_import', label: msg('Import') },
  { value: 'policy', label: msg('Policy') },
  { value: 'own_workloads', label: msg("Fabric's own workloads") },
  { value: 'change', label: msg('Change') },
  { value: 'suggestion', label: msg('Policy suggestion') },
  { value: 'drift', label: msg('Drift') },
  { value: 'policy_test', label: msg('Policy test') },
  { value: 'saved_view', label: msg('Saved view') },
  { value: 'security_group', label: msg('Group') },
  { value: 'user', label: msg('User') },
  { value: 'role', label: msg('Role') },
  { value: 'tenant', label: msg('Tenant') },
  { value: 'project', label: msg('Project') },
  { value: 'list', label: msg('List') },
  { value: 'mapping_rule', label: msg('Mapping rule') },
  { value: 'settings', label: msg('Settings') },
  { value: 'audit_trail', label: msg('Audit trail') },
  { value: 'notification_rule', label: msg('Notification rule') },
  { value: 'notification_channel', label: msg('Notification channel') },
  { value: 'notification_delivery', label: msg('Notification delivery') },
  { value: 'flow_exporter', label: msg('Flow exporter') },
  { value: 'forwarding_destination', label: msg('Forwarding destination') },
  { value: 'netbox_source', label: msg('NetBox source') },
  { value: 'secret_key', label: msg('Fabric secret key') },
] as const;

/** `security_group` -> "security group", to follow a name. Kinds that are unknown here are readable, too. */
export function objectKindText(t: Translate, kind: string): string {
  const label = OBJECT_KINDS.find(({ value }) => value === kind)?.label;
  return label ? lowerLabel(t, t(label)) : kind.replaceAll('_', ' ');
}

/** `policy.rule_added` -> "Policy: rule added". Actions are stored words, so those that are unknown here can be read, too. */
export function actionText(t: Translate, action: string): string {
  const known = ACTION_LABELS[action];
  if (known) return t(known);
  const words = (text: string) => text.replaceAll('_', ' ');
  const [family = '', ...rest] = action.split('.');
  const text = rest.length > 0 ? `${words(family)}: ${words(rest.join('.'))}` : words(family);
  return text.replace(/^./, (first) => first.toUpperCase());
}

type Verification = RouterOutputs['audit']['verify'];

const REASONS: Record<NonNullable<Verification['broken']>['reason'], string> = {
  missing: msg('Record {seq} is missing: it was removed.'),
  previous_hash: msg('Record {seq} does not match the previous hash: a record between them was removed or changed.'),
  hash: msg('Record {seq} does not match its own hash: it was changed.'),
  anchor: msg('Record {seq} differs from the stored reference record.'),
  checkpoint: msg('The trail was truncated at record {seq}, but no record documents the removal.'),
};

/** What a verification of the trail found, in a sentence. */
export function verificationText(
  t: Translate,
  { checked, broken, pruned }: Pick<Verification, 'checked' | 'broken' | 'pruned'>,
): { tone: 'ok' | 'danger'; title: string; text: string } {
  if (!broken) {
    const sentences = [t('{n, plural, one {# record} other {# records}} checked.', { n: checked })];
    if (pruned) {
      const cut = { seq: formatCount(pruned.seq), at: formatDateTime(pruned.at) };
      sentences.push(
        t('Records up to {seq} were removed on {at} when their retention ended. The trail documents the removal.', cut),
      );
    }
    return { tone: 'ok', title: t('Audit trail intact'), text: sentences.join(' ') };
  }
  const sentences = [
    t(REASONS[broken.reason], { seq: formatCount(broken.seq) }),
    t('{n, plural, one {The # earlier record is} other {The # earlier records are}} valid.', { n: checked }),
  ];
  return { tone: 'danger', title: t('Audit trail broken'), text: sentences.join(' ') };
}
