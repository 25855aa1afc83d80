import { typedPorts } from '@/domain/net/port-range';
import type { Policy, PolicyChange, PolicyCreate, PolicySnapshot } from '@/domain/policies';
import { protocolHasPorts } from '@/domain/policy/choices';
import type { PolicyDefinition, SecurityRuleInput } from '@/domain/policy/policy';
import { NO_RESPONSIBILITY, type Responsibility } from '@/domain/policy/responsibility';
import { DEFAULT_VISIBILITY, type PolicyTier, type TenantVisibility } from '@/domain/policy/tier';
import type { PolicyDraft } from '@/domain/policy-draft';
import type { PreviewInput } from '@/domain/policy-preview';
import { toProjectId, WHOLE_TENANT } from '../../shared/project-options';
import { toTenantId } from '../../shared/tenant-options';

/** A rule as it is edited: lists of ports as one text each, an empty ICMP type for all types. */
export type RuleValues = {
  action: SecurityRuleInput['action'];
  protocol: SecurityRuleInput['protocol'];
  destination_ports: string;
  source_ports: string;
  icmp_type: string;
  log: SecurityRuleInput['log'];
  enabled: boolean;
  comment: string;
} & Responsibility;

/** The form of a policy. Fields have the places they have when they are sent, so that messages find them. */
export type PolicyValues = {
  name: string;
  description: string;
  enabled: boolean;
  /** Of a platform policy; those of tenants have no choice. */
  tier: PolicyTier;
  tenant_visibility: TenantVisibility;
  priority: number | null;
  owner: string;
  ticket: string;
  expires_at: string | null;
  tenant_id: string | null;
  /** `WHOLE_TENANT` or a project; null: nothing to choose. */
  project_id: string | null;
  definition: {
    enforcement_mode: PolicyDefinition['enforcement_mode'];
    direction: PolicyDefinition['direction'];
    default_action: PolicyDefinition['default_action'];
    sources: string[];
    targets: string[];
  };
  rules: RuleValues[];
  reason: string;
};

export const EMPTY_RULE: RuleValues = {
  action: 'accept',
  protocol: 'tcp',
  destination_ports: '',
  source_ports: '',
  icmp_type: '',
  log: 'nolog',
  enabled: true,
  comment: '',
  ...NO_RESPONSIBILITY,
};

/** A new policy is in audit mode: enforcing is a deliberate choice. */
export const EMPTY_POLICY: PolicyValues = {
  name: '',
  description: '',
  enabled: true,
  tier: 'platform_first',
  tenant_visibility: DEFAULT_VISIBILITY,
  priority: 1000,
  ...NO_RESPONSIBILITY,
  tenant_id: null,
  project_id: null,
  definition: { enforcement_mode: 'audit', direction: 'in', default_action: 'none', sources: [], targets: [] },
  rules: [EMPTY_RULE],
  reason: '',
};

/** A new policy with what a draft proposes. Where it proposes no endpoint, the field stays empty: it never becomes `any`. */
export function toDraftValues({ name, definition, rules }: PolicyDraft): PolicyValues {
  return {
    ...EMPTY_POLICY,
    name,
    definition: { ...EMPTY_POLICY.definition, ...definition, enforcement_mode: 'audit' },
    rules: rules.map(({ action, protocol, destination_ports, icmp_type }) => ({
      ...EMPTY_RULE,
      action,
      protocol,
      destination_ports: destination_ports.join(', '),
      icmp_type: icmp_type ?? '',
    })),
  };
}

/** The form over a policy or one of its versions. */
export function toPolicyValues(policy: Policy | PolicySnapshot): PolicyValues {
  const { name, description, enabled, tier, tenant_visibility, priority, definition, rules } = policy;
  const { owner, ticket, expires_at } = policy;
  return {
    name,
    description,
    enabled,
    tier,
    tenant_visibility,
    priority,
    owner,
    ticket,
    expires_at,
    tenant_id: null,
    project_id: 'project_id' in policy && policy.tenant_id !== null ? (policy.project_id ?? WHOLE_TENANT) : null,
    definition: { ...definition, sources: [...definition.sources], targets: [...definition.targets] },
    rules: rules.map((rule) => ({
      action: rule.action,
      protocol: rule.protocol,
      destination_ports: rule.destination_ports.join(', '),
      source_ports: rule.source_ports.join(', '),
      icmp_type: rule.icmp_type ?? '',
      log: rule.log,
      enabled: rule.enabled,
      comment: rule.comment,
      owner: rule.owner,
      ticket: rule.ticket,
      expires_at: rule.expires_at,
    })),
    reason: '',
  };
}

/** Fields that the protocol does not have are left out, whatever was typed in them before. */
export function toRule(rule: RuleValues) {
  const ports = protocolHasPorts(rule.protocol);
  const icmp = rule.protocol === 'icmp' || rule.protocol === 'icmpv6';
  return {
    action: rule.action,
    protocol: rule.protocol,
    destination_ports: ports ? typedPorts(rule.destination_ports) : [],
    source_ports: ports ? typedPorts(rule.source_ports) : [],
    icmp_type: icmp && rule.icmp_type.trim() !== '' ? rule.icmp_type.trim() : null,
    log: rule.log,
    enabled: rule.enabled,
    comment: rule.comment,
    owner: rule.owner,
    ticket: rule.ticket,
    expires_at: rule.expires_at,
  };
}

type Sent = Omit<PolicyCreate, 'priority' | 'tenant_id' | 'project_id'> & { priority: number | null };

const toFields = (
  { tenant_id: _, project_id: __, rules, tier, tenant_visibility, ...values }: PolicyValues,
  ofPlatform: boolean,
): Sent => ({ ...values, ...(ofPlatform && { tier, tenant_visibility }), rules: rules.map(toRule) });

/** What creates a policy. */
export const toPolicyCreate = (
  values: PolicyValues,
): Sent & { tenant_id?: string | null; project_id?: string | null } => ({
  ...toFields(values, toTenantId(values.tenant_id).tenant_id === null),
  ...toTenantId(values.tenant_id),
  ...toProjectId(values.project_id),
});

/** The changes to a policy, with the version it was read at so that no one else's change is overwritten unseen. */
export const toPolicyChange = (
  values: PolicyValues,
  version: number,
): Sent & { version: number; project_id?: string | null } => ({
  ...toFields(values, values.tier !== 'tenant'),
  ...toProjectId(values.project_id),
  version,
});

/** What the impact of changes to a policy is asked of. One that is not enabled is evaluated as if it were applied. */
export const toPreview = (
  { definition, rules, priority, tier, project_id, enabled }: PolicyChange,
  wasEnabled: boolean,
): PreviewInput & { enabled?: boolean } => ({
  ...(definition && { definition }),
  ...(rules && { rules }),
  ...(priority !== undefined && { priority }),
  ...(tier !== undefined && { tier }),
  ...(project_id !== undefined && { project_id }),
  ...(wasEnabled && enabled !== undefined && { enabled }),
});

/** The edit of a policy as a change keeps it. */
export const toChangeItem = (policyId: string, { version, ...policy }: PolicyChange) => ({
  kind: 'policy' as const,
  policy_id: policyId,
  ...(version !== undefined && { base_version: version }),
  // The form holds all of it.
  policy: policy as PolicyCreate,
});
