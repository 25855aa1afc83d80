import type { DEFAULT_ACTIONS, POLICY_DIRECTIONS } from '@/domain/policy/choices';
import type { PolicyTier, TenantVisibility } from '@/domain/policy/tier';
import { msg } from '@/lib/i18n/translator';

type Labels = { label: string; description: string };

export const TIER_LABELS: Record<PolicyTier, Labels> = {
  platform_first: {
    label: msg('Before tenants'),
    description: msg('Evaluated before the policies of all tenants, regardless of their priorities.'),
  },
  tenant: {
    label: msg('Tenant'),
    description: msg('Evaluated between the platform policies before and after tenants.'),
  },
  platform_last: {
    label: msg('After tenants'),
    description: msg('Evaluated after the policies of all tenants. Their rules can override it.'),
  },
};

export const VISIBILITY_LABELS: Record<TenantVisibility, Labels> = {
  hidden: { label: msg('Hidden'), description: msg('Tenants see that a platform rule filters, but not its content.') },
  name: { label: msg('Name'), description: msg('Tenants see the name of the policy, not its rules.') },
  rules: {
    label: msg('Name and rules'),
    description: msg('Tenants see the name and the rules on their own workloads.'),
  },
};

export const DIRECTION_LABELS: Record<(typeof POLICY_DIRECTIONS)[number], { label: string; description: string }> = {
  in: { label: msg('Inbound'), description: msg('Rules are placed on the targets and filter their inbound traffic.') },
  out: {
    label: msg('Outbound'),
    description: msg('Rules are placed on the sources and filter their outbound traffic.'),
  },
  both: { label: msg('Both'), description: msg('Rules are placed on sources and targets; traffic must pass both.') },
};

export const DEFAULT_LABELS: Record<(typeof DEFAULT_ACTIONS)[number], { label: string; description: string }> = {
  none: {
    label: msg("Keep the workload's default policy"),
    description: msg('Packets that match no rule are handled as before.'),
  },
  drop: {
    label: msg('Drop unmatched packets'),
    description: msg(
      "Sets each workload's default policy to DROP. Connections that no rule of any policy accepts will break.",
    ),
  },
};
