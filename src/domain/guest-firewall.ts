import { z } from 'zod';
import { FRONT_STEPS } from './firewall/front-steps';
import { FirewallRuleView } from './firewall/rule-view';
import { flowVerdict, RulesSay } from './flow-verdict';
import { HostFirewallRule, SetView } from './host-firewall';
import { isOneFamily, ONE_FAMILY, PACKET_FIELDS } from './packet-fields';
import { POLICY_TIERS } from './policy/tier';
import { InterfaceEnforcement } from './policy-guests';
import { UnreadableNote } from './policy-preview';

export const NamedRuleView = FirewallRuleView.extend({
  /** Null: unmanaged, or the policy is deleted or not visible to the user. */
  policy_name: z.string().nullable(),
  /** Left by a policy of the tenant that had the workload before; neither the policy nor the tenant is named. */
  residual: z.boolean(),
  /** Of its policy; null: unmanaged, or the policy is deleted. */
  tier: z.enum(POLICY_TIERS).nullable(),
});

/** What filters a guest's packets besides its own firewall: in front of it at the node, and in its VNets. */
export const OutsideFilters = z.object({
  /** Whether anything there drops packets. Null: not known. */
  filters: z.boolean().nullable(),
  /** Null for those who may not read clusters. */
  details: z
    .object({
      node: z.object({ node_id: z.uuid(), name: z.string() }).nullable(),
      /** Null: not known. */
      implementation: z.enum(['iptables', 'nftables']).nullable(),
      /** Built-in steps of the node in front of the guest, in their order. */
      steps: z.array(
        z.object({
          name: z.enum(FRONT_STEPS),
          action: z.enum(['accept', 'drop']),
          state: z.enum(['on', 'off', 'unknown']),
        }),
      ),
      /** VNets that interfaces of the guest are on. Null: not known at which networks its interfaces are. */
      vnets: z
        .array(
          z.object({
            /** Null: the inventory does not have it yet. */
            network_id: z.uuid().nullable(),
            name: z.string(),
            interfaces: z.array(z.string()),
            /** Whether the firewall of the VNet filters at this node. Null: not known. */
            filters: z.boolean().nullable(),
            /** Null: could not be read. */
            policy_forward: z.string().nullable(),
            /** Null: could not be read. */
            rules: z.array(HostFirewallRule).nullable(),
          }),
        )
        .nullable(),
    })
    .nullable(),
});
export type OutsideFilters = z.output<typeof OutsideFilters>;

/** What is known about a guest's firewall at a time in the past. */
export const PastReading = z.object({
  as_of: z.string(),
  /** `between`: two readings around that time differ, and which was live is not known. `not_read`: there was none yet. */
  state: z.enum(['read', 'between', 'not_read']),
  /** Before or at that time. */
  last_read_at: z.string().nullable(),
  /** When it was first read otherwise; with `between` only. */
  next_read_at: z.string().nullable(),
});
export type PastReading = z.output<typeof PastReading>;

/** Everything that filters a guest's packets, as it is live. What is null could not be read. */
export const GuestFirewall = z.object({
  workload_id: z.uuid(),
  vmid: z.int(),
  /** `absent` only with proof. */
  presence: z.enum(['present', 'absent', 'unknown']),
  /** Null: as of a time for which it is not known. */
  read_at: z.string().nullable(),
  /** Null: this is of now. */
  past: PastReading.nullable(),
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
  rules: z.array(NamedRuleView).nullable(),
  /** Rules of the groups that the guest's rules refer to. */
  groups: z.array(z.object({ name: z.string(), rules: z.array(FirewallRuleView) })).nullable(),
  sets: z.array(SetView).nullable(),
  aliases: z.array(z.object({ name: z.string(), cidr: z.string() })).nullable(),
  outside: OutsideFilters,
  unreadable: z.array(UnreadableNote),
});
export type GuestFirewall = z.output<typeof GuestFirewall>;

/** A packet at a guest. */
export const PacketTest = z
  .strictObject({
    direction: z.enum(['in', 'out'], { error: 'One of in, out.' }),
    ...PACKET_FIELDS,
    /** `net0` …; left out: every interface is tried. */
    interface: z
      .string()
      .regex(/^net\d{1,2}$/, 'One of net0 to net31.')
      .optional(),
  })
  .refine(isOneFamily, ONE_FAMILY);
export type PacketTest = z.output<typeof PacketTest>;

const DecidedBy = z.object({
  kind: z.enum(['rule', 'default', 'builtin', 'not_enforced', 'unknown']),
  /** Default policy, name of the built-in rule, or the reason. */
  detail: z.string().nullable(),
  /** As text. */
  explanation: z.string(),
  /** The rule that decides; of a group when `group` is set. */
  rule: NamedRuleView.nullable(),
  group: z.string().nullable(),
  /** Rules that may decide and cannot be evaluated. */
  undecided_rules: z.array(NamedRuleView),
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
      /** The same three as for traffic. A packet that was never sent was not observed: its action is unknown. */
      ...flowVerdict,
      rules_say: RulesSay,
      /** Policies whose rule decides or may decide. Of those that the reader cannot open, `policy_id` is null. */
      policies: z.array(
        z.object({ policy_id: z.uuid().nullable(), name: z.string().nullable(), policy_version: z.int() }),
      ),
    }),
  ),
  /** Policies in audit mode that would decide at any of the interfaces. `audit_say` tells it of each. */
  audit: z.array(z.object({ policy_id: z.uuid(), name: z.string(), verdict: z.enum(['accept', 'drop', 'reject']) })),
});
export type PacketVerdict = z.output<typeof PacketVerdict>;
