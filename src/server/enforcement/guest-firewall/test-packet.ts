import { evaluate } from '@/domain/firewall/evaluate';
import type { LiveRule, LiveState } from '@/domain/firewall/live-state';
import type { Packet } from '@/domain/firewall/packet';
import { ruleAt } from '@/domain/firewall/rule-at';
import type {
  Builtin,
  ListScope,
  NotEnforcedReason,
  RulePlace,
  UnknownReason,
  Verdict,
} from '@/domain/firewall/verdict';
import { toAction } from '@/domain/flow-action';
import { auditOutcomes } from '@/domain/flow-context/audit-policy';
import type { ContextReason, FlowDecider } from '@/domain/flow-context/flow-context';
import type { GuestContext, GuestInterface } from '@/domain/flow-context/guest-context';
import { type Decider, NO_RULE, toAuditSay } from '@/domain/flow-verdict';
import type { PacketTest, PacketVerdict } from '@/domain/guest-firewall';
import { parseIp } from '@/domain/net/ip-address';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { buildGuestContext } from '../verdicts/guest-context';
import { type NamedRule, ruleNamer } from './named-rules';
import { type GuestLive, readGuestLive } from './read-guest-live';

/** Why a built-in rule of the hypervisor decided. */
const BUILTIN_WORDS: Readonly<Record<Builtin, string>> = {
  established: 'The packet belongs to an existing connection.',
  invalid: 'Connection tracking classifies the packet as invalid.',
  blacklist: 'The source is in the IP set blacklist of the cluster.',
  smurf: 'The source is a multicast or broadcast address, which is never a valid source.',
  tcp_flags: 'The node option tcpflags drops this combination of TCP flags and port.',
  vital_icmp: 'The node accepts ICMP errors before any rule.',
  dhcp: 'The guest firewall option dhcp accepts the packet.',
  dhcp_blocked: 'The guest firewall option dhcp is off: the node drops DHCP.',
  mac_filter: "The source MAC address is not the interface's.",
  router_advertisement: 'The guest firewall option radv is off: the node drops router advertisements.',
  ip_filter: 'The IP filter does not allow the interface to send from this address.',
  ndp: 'The guest firewall option ndp accepts neighbor discovery.',
  ndp_blocked: 'The guest firewall option ndp is off: the node drops neighbor discovery.',
  router_announced: 'The guest firewall option radv accepts router advertisements.',
  broadcast: 'Broadcast and multicast packets are dropped before the default policy.',
  critical_icmp: 'ICMP messages that connections depend on are accepted before the default policy.',
  windows_noise: 'Windows services are dropped before the default policy.',
  upnp: 'UPnP is dropped before the default policy.',
  not_syn: 'TCP packets that do not open a connection are dropped before the default policy.',
  dns_reply: 'Late DNS replies are dropped before the default policy.',
  whois: 'Ident is rejected before the default policy.',
};

const NOT_ENFORCED_WORDS: Readonly<Record<NotEnforcedReason, string>> = {
  cluster_firewall_off: 'The cluster firewall is off: nothing is filtered.',
  guest_firewall_off: 'The guest firewall is off: its rules are not enforced.',
  nic_flag_off: 'The firewall flag of the interface is off: its traffic is not filtered.',
};

const UNKNOWN_WORDS: Readonly<Record<UnknownReason | ContextReason, string>> = {
  unknown_cluster_firewall: 'Could not read whether the cluster firewall is on.',
  unknown_guest_options: 'Could not read the options of the guest firewall.',
  unknown_guest_rules: 'Could not read the rules of the guest firewall.',
  unknown_nic_flag: 'Could not read whether the firewall flag of the interface is on.',
  unknown_group: 'Could not read a PVE security group that the rules refer to.',
  unknown_reference: 'Could not read an IP set or alias that the result depends on.',
  unknown_packet_detail: 'The result depends on a property of the packet that was not specified.',
  node_cannot_compile: 'The firewall of the node cannot compile: the node keeps its old rules.',
  group_cannot_compile:
    'The iptables compiler fails at a rule of a PVE security group that the workload uses, and may have left the workload unfiltered. Correct or remove the rule.',
  unknown_inspection: 'An intrusion prevention system inspects the packet and may drop it.',
  unknown_implementation: 'The result differs between iptables and nftables, and which one the node uses is not known.',
  unknown_node_options: "Could not read the node's firewall options, which the result depends on.",
  unknown_node_networks: "Could not read the node's networks: an address may be a broadcast address.",
  unknown_forward_rules:
    'Could not read the rules for forwarded traffic (of the VNet, the node or the data center), which may match.',
  unknown_route:
    'The result depends on whether the node routes this traffic or bridges it within the VNet, which is not known.',
  unknown_interface: 'The result differs between interfaces, and which one the traffic passed is not known.',
  unknown_protocol: 'The protocol is not known.',
  unknown_address: 'The result differs between addresses of the network, and which one was used is not known.',
  unknown_opening: 'The result depends on which end opened the conversation, which is not known.',
};

/** Whose list a rule or default is of, where it is not the guest's own. */
function listName({ scope, name }: ListScope): string {
  if (scope === undefined) return '';
  return scope === 'vnet' ? ` of VNet ${name}` : ` of the ${scope === 'node' ? 'node' : 'data center'}`;
}

/** What decides, as text. @param rule the rule that decides, when it is a rule and could be found */
export function explainDecider(by: FlowDecider, rule: NamedRule | null): string {
  switch (by.kind) {
    case 'rule': {
      const where = by.group === undefined ? by.position : `${by.group_position} of PVE security group ${by.group}`;
      const whose = rule?.policy_name ? ` (policy ${rule.policy_name})` : rule?.visibility ? ' (platform)' : '';
      return `The rule at position ${where}${listName(by)} matches${whose}.`;
    }
    case 'default':
      return `No rule matches: the default policy${listName(by)} applies.`;
    case 'builtin':
      return BUILTIN_WORDS[by.name];
    case 'not_enforced':
      return NOT_ENFORCED_WORDS[by.reason];
    case 'unknown':
      return UNKNOWN_WORDS[by.reason];
  }
}

/** Default policy, name of the built-in rule, or the reason. */
export const deciderDetail = (by: Exclude<FlowDecider, { kind: 'rule' }>): string =>
  by.kind === 'default' ? by.policy : by.kind === 'builtin' ? by.name : by.reason;

/** The rule that decides at a guest, as it is shown; null when something else does. */
export function decidingRule(
  { state, vmid, show }: { state: LiveState; vmid: number; show: ReturnType<typeof ruleNamer>['show'] },
  by: FlowDecider,
): NamedRule | null {
  const found = by.kind === 'rule' ? ruleAt(state, by) : null;
  return found && show(found.rule, found.own ? vmid : null);
}

/** What decides, as every answer about traffic says it. @param rule of `decidingRule` */
export function describeDecider(by: FlowDecider, rule: NamedRule | null): Decider {
  if (by.kind !== 'rule') {
    return { ...NO_RULE, kind: by.kind, detail: deciderDetail(by), explanation: explainDecider(by, null) };
  }
  const ours = rule?.owner === 'this_installation' ? rule : null;
  return {
    kind: 'rule',
    detail: rule?.action ?? null,
    explanation: explainDecider(by, rule),
    position: by.position,
    group: by.group ?? null,
    group_position: by.group_position ?? null,
    ...(by.scope === 'vnet' && { vnet: by.name }),
    // A policy that cannot be opened is only named.
    policy_id: ours?.visibility ? null : (ours?.policy_id ?? null),
    policy_name: ours?.policy_name ?? null,
    policy_version: ours?.policy_version ?? null,
    rule_hash: ours?.rule_hash ?? null,
  };
}

const PROTOCOL_NUMBERS = { tcp: 6, udp: 17, icmp: 1, icmpv6: 58, sctp: 132 } as const;

/** The packet that a test describes. */
export function parsePacketTest(input: PacketTest | Omit<PacketTest, 'interface'>): Packet {
  const { direction, protocol, source_ip, destination_ip, interface: _, ...rest } = { interface: undefined, ...input };
  const [source, destination] = [parseIp(source_ip), parseIp(destination_ip)];
  if (!source || !destination) throw new Error('expected validated addresses to be readable');
  const number = typeof protocol === 'number' ? protocol : PROTOCOL_NUMBERS[protocol];
  return { ...rest, direction, source, destination, protocol: number };
}

type Show = (rule: LiveRule, vmid: number | null) => NamedRule;

type Decision = PacketVerdict['interfaces'][number]['decided_by'];

/** Who decides, with the rule as it is live and the rules that may decide. */
function explain(
  { state, workload }: GuestLive,
  show: Show,
  hosts: boolean,
  { decided_by: by }: Verdict,
): [Decider, Decision] {
  const guest = { state, vmid: workload.vmid, show };
  const rule = decidingRule(guest, by);
  const decider = describeDecider(by, rule);
  const { kind, detail, explanation, group } = decider;
  const places = by.kind === 'unknown' ? by.places : [];
  // Rules that are not the workload's own are shown to those who may read clusters.
  const isShown = (place: RulePlace) => hosts || place.scope === undefined;
  const undecided_rules = places
    .filter(isShown)
    .flatMap((place) => decidingRule(guest, { kind: 'rule', ...place }) ?? []);
  const shown = by.kind === 'rule' && isShown(by) ? rule : null;
  return [decider, { kind, detail, explanation, rule: shown, group, undecided_rules }];
}

/** Policies in audit mode that would match the packet, with what they would do. */
function evaluateAuditPolicies(
  { inputs }: FirewallState,
  { audit }: GuestContext,
  nic: GuestInterface,
  packet: Packet,
  live: Verdict,
) {
  const outcomes = auditOutcomes(audit, packet, live, () => evaluate(nic.dropping(), packet));
  return outcomes.flatMap((outcome) => {
    const policy = inputs.policies.find(({ id }) => id === outcome.policy_id);
    return policy ? [{ ...outcome, policy_name: policy.name }] : [];
  });
}

/**
 * What happens to a packet at a guest now, at each of its interfaces: the verdict, the rule that decides, and the policies
 * behind it.
 * @param hosts evidence that clusters may be read; without it rules of VNets and nodes are named by their place only
 * @throws AppError `not_found`; `refused` when the guest has no such interface
 */
export async function testPacket(
  scope: Scope<'workload:read'>,
  workloadId: string,
  input: PacketTest,
  hosts: Scope<'cluster:read'> | null = null,
): Promise<PacketVerdict> {
  const live = await readGuestLive(scope.reach, workloadId);
  const { firewall, snapshot, read_at } = live;
  const { show, nameOf } = ruleNamer(firewall.inputs, scope.reach, live.workload);
  const read = { guest: snapshot.state, cluster: live.cluster };
  const guest = buildGuestContext(firewall.inputs, live.workload, read, scope.reach);
  const nics = guest.interfaces ?? [guest.assumed(input.interface ?? 'net0')];
  const chosen = nics.filter(({ name }) => input.interface === undefined || name === input.interface);
  if (chosen.length === 0) {
    throw new AppError('refused', 'The workload has no such interface on a bridge.', {
      errors: [
        {
          field: 'interface',
          message: `Interfaces of the workload: ${nics.map(({ name }) => name).join(', ') || 'none'}.`,
        },
      ],
    });
  }
  const packet = parsePacketTest(input);
  const audit = new Map<string, PacketVerdict['audit'][number]>();
  const interfaces = chosen.map((nic) => {
    const verdict = evaluate(nic.live, packet);
    const audited = evaluateAuditPolicies(firewall, guest, nic, packet, verdict);
    for (const { policy_id, policy_name: name, verdict: would } of audited) {
      audit.set(policy_id, { policy_id, name, verdict: would });
    }
    const [decider, decided_by] = explain(live, show, hosts !== null, verdict);
    const rules = [...(decided_by.rule ? [decided_by.rule] : []), ...decided_by.undecided_rules];
    const ours = rules.flatMap(({ owner, policy_id: id, policy_version, visibility }) =>
      owner === 'this_installation' && id !== null && policy_version !== null
        ? [[id, { policy_id: visibility ? null : id, name: nameOf(id), policy_version }] as const]
        : [],
    );
    const policies = [...new Map(ours).values()];
    return {
      ...{ name: nic.name, verdict: verdict.verdict, decided_by, policies },
      action: 'unknown' as const,
      rules_say: { ...decider, action: toAction(verdict.verdict), workload_id: workloadId, read_at },
      audit_say: audited.map((outcome) => toAuditSay(outcome, workloadId)),
    };
  });
  return { workload_id: workloadId, read_at, interfaces, audit: [...audit.values()] };
}
