import { z } from 'zod';
import { icmpMatch } from '../firewall/data/icmp-types';
import { isIcmpTypeReadable } from '../firewall/nftables-compile-failure';
import { formatPortRange, mergePortRanges, parsePortList } from '../net/port-range';
import {
  DEFAULT_ACTIONS,
  ENFORCEMENT_MODES,
  POLICY_DIRECTIONS,
  protocolHasPorts,
  RULE_ACTIONS,
  RULE_LOG_LEVELS,
  RULE_PROTOCOLS,
} from './choices';
import { formatEndpoint, parseEndpoint } from './endpoint';
import { responsibilityFields, responsibilityInput } from './responsibility-fields';
import { POLICY_TIERS, TENANT_VISIBILITIES } from './tier';

export type RuleProtocol = (typeof RULE_PROTOCOLS)[number];

const MAX_ENDPOINTS = 200;
const MAX_RULES = 200;
const MAX_PORTS = 100;

// Text that ends up in the hypervisor's files: a line break would add rules there, and `#` stops an implementation of
// its firewall from reading any rule at all.
export const plainText = (most: number) =>
  z
    .string({ error: 'A text.' })
    .trim()
    .max(most, `At most ${most} characters.`)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'No line breaks or other control characters.');

const Endpoint = z.string({ error: 'An endpoint.' }).transform((text, context) => {
  const parsed = parseEndpoint(text);
  if (!('error' in parsed)) return formatEndpoint(parsed);
  context.addIssue({ code: 'custom', message: parsed.error });
  return z.NEVER;
});

const Endpoints = z
  .array(Endpoint, { error: 'A list of endpoints.' })
  .max(MAX_ENDPOINTS, `At most ${MAX_ENDPOINTS} endpoints.`)
  .transform((endpoints) => [...new Set(endpoints)]);

/**
 * What a policy wants. A missing or invalid `enforcement_mode` becomes `audit`: a mistake must never enforce. An empty
 * list of sources or targets is refused rather than read as "any".
 */
export const PolicyDefinition = z.strictObject({
  enforcement_mode: z.enum(ENFORCEMENT_MODES).catch('audit'),
  direction: z.enum(POLICY_DIRECTIONS, { error: 'One of in, out, both.' }).default('in'),
  sources: Endpoints.refine((list) => list.length > 0, 'Specify at least one source; `any` matches every address.'),
  targets: Endpoints.refine((list) => list.length > 0, 'Specify at least one target; `any` matches every address.'),
  default_action: z.enum(DEFAULT_ACTIONS, { error: 'One of none, drop.' }).default('none'),
});
export type PolicyDefinition = z.output<typeof PolicyDefinition>;

/** `443` or `8000-8080`, each a port or range; stored sorted and joined, so that equal sets are equal texts. */
export const Ports = z
  .array(z.string({ error: 'A port or a range such as 8000-8080.' }).max(20), { error: 'A list of ports.' })
  .max(MAX_PORTS, `At most ${MAX_PORTS} ports and ranges.`)
  .transform((items, context) => {
    const ranges = items.length === 0 ? [] : parsePortList(items.join(','));
    if (ranges) return mergePortRanges(ranges).map((range) => formatPortRange(range));
    context.addIssue({ code: 'custom', message: 'Enter ports from 1 to 65535, or ranges such as 8000-8080.' });
    return z.NEVER;
  });

const RuleFields = z.strictObject({
  action: z.enum(RULE_ACTIONS, { error: 'One of accept, drop, reject.' }),
  protocol: z.enum(RULE_PROTOCOLS, { error: `One of ${RULE_PROTOCOLS.join(', ')}.` }).default('any'),
  destination_ports: Ports.default([]),
  source_ports: Ports.default([]),
  icmp_type: z.string({ error: 'The name of an ICMP type.' }).max(40).nullable().default(null),
  log: z.enum(RULE_LOG_LEVELS, { error: `One of ${RULE_LOG_LEVELS.join(', ')}.` }).default('nolog'),
  enabled: z.boolean({ error: 'One of true, false.' }).default(true),
  comment: plainText(200)
    .refine((text) => !text.includes('#'), 'No #: some Proxmox VE versions stop reading rules at this character.')
    .default(''),
  ...responsibilityInput,
});

/** One rule of a policy. Ports need a protocol that has them, an ICMP type one of the ICMP protocols. */
export const SecurityRuleInput = RuleFields.superRefine((rule, context) => {
  for (const field of ['destination_ports', 'source_ports'] as const) {
    if (rule[field].length > 0 && !protocolHasPorts(rule.protocol)) {
      context.addIssue({ code: 'custom', path: [field], message: `Protocol ${rule.protocol} has no ports.` });
    }
  }
  if (rule.icmp_type === null) return;
  const family = rule.protocol === 'icmp' ? 4 : rule.protocol === 'icmpv6' ? 6 : null;
  if (!family) {
    context.addIssue({
      code: 'custom',
      path: ['icmp_type'],
      message: 'Only the protocols icmp and icmpv6 have types.',
    });
  } else if (!icmpMatch(rule.icmp_type, family)) {
    const message = `${rule.protocol} has no type with this name; echo-request is one.`;
    context.addIssue({ code: 'custom', path: ['icmp_type'], message });
  } else if (!isIcmpTypeReadable(rule.icmp_type, rule.protocol)) {
    const message = `Nodes with nftables cannot read ${rule.icmp_type}: none of their workloads would get new rules. Use destination-unreachable.`;
    context.addIssue({ code: 'custom', path: ['icmp_type'], message });
  }
});
export type SecurityRuleInput = z.output<typeof SecurityRuleInput>;

/** The rules of a policy. Whether a workload has room for them the service says (`file-size.ts`). */
export const PolicyRules = z.array(SecurityRuleInput).max(MAX_RULES, `At most ${MAX_RULES} rules.`);

const fields = {
  name: plainText(100).min(1, 'A name of 1 to 100 characters.'),
  description: plainText(2000),
  enabled: z.boolean({ error: 'One of true, false.' }),
  /** When it is evaluated among all policies; only a platform policy has a choice. */
  tier: z.enum(POLICY_TIERS, { error: `One of ${POLICY_TIERS.join(', ')}.` }),
  /** What tenants see of a platform policy on their workloads. */
  tenant_visibility: z.enum(TENANT_VISIBILITIES, { error: `One of ${TENANT_VISIBILITIES.join(', ')}.` }),
  /** Within a tier, policies with lower numbers are evaluated first. */
  priority: z.int({ error: 'A whole number.' }).min(0, 'From 0 to 10000.').max(10000, 'From 0 to 10000.'),
  ...responsibilityFields,
  definition: PolicyDefinition,
  rules: PolicyRules,
};

/** What is needed to create a policy. */
export const PolicyInput = z.strictObject({
  ...fields,
  description: fields.description.default(''),
  enabled: fields.enabled.default(true),
  tier: fields.tier.optional(),
  tenant_visibility: fields.tenant_visibility.optional(),
  priority: fields.priority.default(1000),
  ...responsibilityInput,
  rules: fields.rules.default([]),
});
export type PolicyInput = z.output<typeof PolicyInput>;

/** What is left out stays as it is. `version` is the one that was read: when it is no longer current, nothing is changed. */
export const PolicyUpdate = z.strictObject({ ...fields, version: z.int().min(1) }).partial();
export type PolicyUpdate = z.output<typeof PolicyUpdate>;
