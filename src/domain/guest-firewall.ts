import { z } from 'zod';
import { CONNECTION_STATES } from './firewall/packet';
import { FirewallRuleView } from './firewall/rule-view';
import { flowVerdict, RulesSay } from './flow-verdict';
import { parseIp } from './net/ip-address';
import { InterfaceEnforcement } from './policy-guests';
import { UnreadableNote } from './policy-preview';

const SetView = z.object({
  name: z.string(),
  entries: z.array(z.object({ cidr: z.string(), nomatch: z.boolean() })),
});

const Rule = FirewallRuleView.extend({
  /** Null: not ours, or the policy is gone or out of reach. */
  policy_name: z.string().nullable(),
});

/** Everything that filters a guest's packets, as it is live. What is null could not be read. */
export const GuestFirewall = z.object({
  workload_id: z.uuid(),
  vmid: z.int(),
  /** `absent` only with proof. */
  presence: z.enum(['present', 'absent', 'unknown']),
  read_at: z.string(),
  cluster_firewall_enabled: z.boolean().nullable(),
  /** What holds, defaults included. */
  options: z
    .object({
      enable: z.boolean(),
      policy_in: z.enum(['ACCEPT', 'DROP', 'REJECT']),
      policy_out: z.enum(['ACCEPT', 'DROP', 'REJECT']),
      dhcp: z.boolean(),
      ndp: z.boolean(),
      radv: z.boolean(),
      macfilter: z.boolean(),
      ipfilter: z.boolean(),
      ips: z.boolean(),
    })
    .nullable(),
  /** Names of the options that are stored; the others are at their default. */
  stored_options: z.array(z.string()),
  interfaces: z
    .array(
      InterfaceEnforcement.extend({
        mac: z.string().nullable(),
        firewall: z.boolean().nullable(),
        /** A change waits for the guest's next start. */
        pending: z.boolean(),
      }),
    )
    .nullable(),
  /** All of them, in the order in which they are evaluated. */
  rules: z.array(Rule).nullable(),
  /** Rules of the groups that the guest's rules refer to. */
  groups: z.array(z.object({ name: z.string(), rules: z.array(FirewallRuleView) })).nullable(),
  sets: z.array(SetView).nullable(),
  aliases: z.array(z.object({ name: z.string(), cidr: z.string() })).nullable(),
  unreadable: z.array(UnreadableNote),
});
export type GuestFirewall = z.output<typeof GuestFirewall>;

const Address = z
  .string({ error: 'an IP address' })
  .trim()
  .refine((text) => parseIp(text) !== null, 'an IPv4 or IPv6 address');
const Port = z.int({ error: 'a port' }).min(0, 'from 0 to 65535').max(65535, 'from 0 to 65535').optional();
const Small = z.int().min(0, 'from 0 to 255').max(255, 'from 0 to 255').optional();

export const PACKET_PROTOCOLS = ['tcp', 'udp', 'icmp', 'icmpv6', 'sctp'] as const;

/** A packet at a guest. What is left out is not known, and decides nothing by guess. */
export const PacketTest = z
  .strictObject({
    direction: z.enum(['in', 'out'], { error: 'in or out' }),
    source_ip: Address,
    destination_ip: Address,
    /** Name or number. */
    protocol: z.union([z.enum(PACKET_PROTOCOLS), z.int().min(0).max(255)], {
      error: `one of ${PACKET_PROTOCOLS.join(', ')}, or a number`,
    }),
    source_port: Port,
    destination_port: Port,
    icmp_type: Small,
    icmp_code: Small,
    state: z.enum(CONNECTION_STATES).default('new'),
    /** `net0` …; left out: every interface is tried. */
    interface: z
      .string()
      .regex(/^net\d{1,2}$/, 'net0 to net31')
      .optional(),
  })
  .refine(({ source_ip, destination_ip }) => parseIp(source_ip)?.family === parseIp(destination_ip)?.family, {
    path: ['destination_ip'],
    message: 'Both addresses are of one family.',
  });
export type PacketTest = z.output<typeof PacketTest>;

const DecidedBy = z.object({
  kind: z.enum(['rule', 'default', 'builtin', 'not_enforced', 'unknown']),
  /** Default policy, name of the built-in rule, or the reason. */
  detail: z.string().nullable(),
  /** In words. */
  explanation: z.string(),
  /** The rule that decides; of a group when `group` is set. */
  rule: Rule.nullable(),
  group: z.string().nullable(),
  /** Rules that may decide and cannot be judged. */
  undecided_rules: z.array(Rule),
});

/** What happens to the packet at each interface, and who decides. */
export const PacketVerdict = z.object({
  workload_id: z.uuid(),
  read_at: z.string(),
  interfaces: z.array(
    z.object({
      name: z.string(),
      verdict: z.enum(['accept', 'drop', 'reject', 'unknown']),
      decided_by: DecidedBy,
      /** The same three as of traffic. A packet that nobody sent was not observed: its action is unknown. */
      ...flowVerdict,
      rules_say: RulesSay,
      /** Policies whose rule decides or may decide. */
      policies: z.array(z.object({ policy_id: z.uuid(), name: z.string().nullable(), policy_version: z.int() })),
    }),
  ),
  /** Policies in audit mode that would decide at any of the interfaces. `audit_say` tells it of each. */
  audit: z.array(z.object({ policy_id: z.uuid(), name: z.string(), verdict: z.enum(['accept', 'drop', 'reject']) })),
});
export type PacketVerdict = z.output<typeof PacketVerdict>;
