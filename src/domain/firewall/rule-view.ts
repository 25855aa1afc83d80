import { z } from 'zod';
import type { DesiredRule } from '../policy/desired';
import { type Marker, parseMarker } from '../policy/marker';
import { TENANT_VISIBILITIES } from '../policy/tier';
import type { LiveRule } from './live-state';

/** Rule owner. `copied`: managed, but created for another guest; it came with a clone or a restored backup. */
export const RULE_OWNERS = ['this_installation', 'other_installation', 'copied', 'nobody'] as const;

/** A rule of a guest or group as the API shows it. What is null does not limit the rule. */
export const FirewallRuleView = z.object({
  /** Place in the list; null for a rule that is not live. */
  position: z.int().nullable(),
  /** `in`, `out`, `group`; anything else is not enforced at guests. */
  type: z.string(),
  /** `ACCEPT`, `DROP`, `REJECT` or the name of the group. */
  action: z.string(),
  enabled: z.boolean(),
  protocol: z.string().nullable(),
  source: z.string().nullable(),
  destination: z.string().nullable(),
  source_port: z.string().nullable(),
  destination_port: z.string().nullable(),
  icmp_type: z.string().nullable(),
  macro: z.string().nullable(),
  interface: z.string().nullable(),
  log: z.string().nullable(),
  /** The log level ends when the change that adds the rule is confirmed or rolled back. */
  temporary_log: z.boolean().optional(),
  /** As it is stored, marker included. */
  comment: z.string(),
  /** Why the hypervisor skips the rule. */
  errors: z.record(z.string(), z.string()).nullable(),
  owner: z.enum(RULE_OWNERS),
  policy_id: z.string().nullable(),
  policy_version: z.int().nullable(),
  rule_hash: z.string().nullable(),
  /**
   * Of a platform rule that is shown to a tenant: what the platform lets tenants see. With `hidden` and `name` the
   * tenant sees that the rule filters and how; what it matches is withheld, and null does not mean that it matches
   * everything.
   */
  visibility: z.enum(TENANT_VISIBILITIES).optional(),
});
export type FirewallRuleView = z.output<typeof FirewallRuleView>;

function getRuleOwner(marker: Marker | null, instance: string, vmid: number | null): FirewallRuleView['owner'] {
  if (!marker) return 'nobody';
  if (marker.instance !== instance) return 'other_installation';
  return vmid !== null && marker.vmid !== vmid ? 'copied' : 'this_installation';
}

const text = (value: string | undefined): string | null => value || null;

/** A live rule. @param vmid of the guest that it is placed on; null for a rule of a group */
export function toLiveRuleView(rule: LiveRule, instance: string, vmid: number | null): FirewallRuleView {
  const marker = parseMarker(rule.comment);
  return {
    position: rule.pos,
    type: rule.type,
    action: rule.action,
    enabled: Boolean(rule.enable),
    protocol: text(rule.proto),
    source: text(rule.source),
    destination: text(rule.dest),
    source_port: text(rule.sport),
    destination_port: text(rule.dport),
    icmp_type: text(rule['icmp-type']),
    macro: text(rule.macro),
    interface: text(rule.iface),
    log: text(rule.log),
    comment: rule.comment ?? '',
    errors: rule.errors ?? null,
    owner: getRuleOwner(marker, instance, vmid),
    policy_id: marker?.policy_id ?? null,
    policy_version: marker?.version ?? null,
    rule_hash: marker?.rule_hash ?? null,
  };
}

/** A managed rule without what identifies its owner, for users who may see that it filters and no more. */
export const anonymizeRule = (view: FirewallRuleView): FirewallRuleView => ({
  ...view,
  comment: '',
  policy_id: null,
  policy_version: null,
  rule_hash: null,
});

/** A rule that shall be live. */
export function toDesiredRuleView({ content, ...rule }: DesiredRule): FirewallRuleView {
  return {
    position: null,
    type: content.type,
    action: content.action,
    enabled: true,
    protocol: text(content.proto),
    source: text(content.source),
    destination: text(content.dest),
    source_port: text(content.sport),
    destination_port: text(content.dport),
    icmp_type: text(content['icmp-type']),
    macro: null,
    interface: null,
    log: text(rule.temporary_log ?? content.log),
    ...(rule.temporary_log !== undefined && { temporary_log: true }),
    comment: rule.comment,
    errors: null,
    owner: 'this_installation',
    policy_id: rule.policy_id,
    policy_version: rule.policy_version,
    rule_hash: rule.rule_hash,
  };
}
