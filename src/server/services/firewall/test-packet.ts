import { evaluate } from '@/domain/firewall/evaluate';
import type { LiveRule } from '@/domain/firewall/live-state';
import type { Packet } from '@/domain/firewall/packet';
import { ruleAt } from '@/domain/firewall/rule-at';
import type { RulePlace, Verdict } from '@/domain/firewall/verdict';
import { auditOutcomes } from '@/domain/flow-context/audit-policy';
import type { GuestContext, GuestInterface } from '@/domain/flow-context/guest-context';
import type { PacketTest, PacketVerdict } from '@/domain/guest-firewall';
import { parseIp } from '@/domain/net/ip-address';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { contextFrom } from '../insights/guest-context';
import type { Board } from '../policies/board/board';
import { explainDecider } from './explain-verdict';
import { type NamedRule, ruleNamer } from './named-rules';
import { type GuestLive, readGuestLive } from './read-guest-live';

const PROTOCOL_NUMBERS = { tcp: 6, udp: 17, icmp: 1, icmpv6: 58, sctp: 132 } as const;

function packetOf(input: PacketTest): Packet {
  const { direction, protocol, source_ip, destination_ip, interface: _, ...rest } = input;
  const [source, destination] = [parseIp(source_ip), parseIp(destination_ip)];
  if (!source || !destination) throw new Error('addresses that were checked cannot be read');
  const number = typeof protocol === 'number' ? protocol : PROTOCOL_NUMBERS[protocol];
  return { ...rest, direction, source, destination, protocol: number };
}

type Show = (rule: LiveRule, vmid: number | null) => NamedRule;

function namedRuleAt({ state, workload }: GuestLive, show: Show, place: RulePlace): NamedRule | null {
  const found = ruleAt(state, place);
  return found && show(found.rule, found.group === null ? workload.vmid : null);
}

type Decision = PacketVerdict['interfaces'][number]['decided_by'];
const NO_RULE = { rule: null, group: null, undecided_rules: [] };

function explain(live: GuestLive, show: Show, { decided_by: by }: Verdict): Decision {
  const rule = by.kind === 'rule' ? namedRuleAt(live, show, by) : null;
  const explained = { ...NO_RULE, kind: by.kind, explanation: explainDecider(by, rule) };
  switch (by.kind) {
    case 'rule':
      return { ...explained, detail: rule?.action ?? null, rule, group: by.group ?? null };
    case 'default':
      return { ...explained, detail: by.policy };
    case 'builtin':
      return { ...explained, detail: by.name };
    case 'not_enforced':
      return { ...explained, detail: by.reason };
    case 'unknown':
      return {
        ...explained,
        detail: by.reason,
        undecided_rules: by.places.flatMap((place) => namedRuleAt(live, show, place) ?? []),
      };
  }
}

/** Policies in audit mode that would decide about the packet, with what they would do. */
function auditVerdicts({ world }: Board, { audit }: GuestContext, nic: GuestInterface, packet: Packet, live: Verdict) {
  const outcomes = auditOutcomes(audit, packet, live, () => evaluate(nic.dropping(), packet));
  return outcomes.flatMap(({ policy_id, verdict }) => {
    const policy = world.policies.find(({ id }) => id === policy_id);
    return policy ? [{ policy_id, name: policy.name, verdict }] : [];
  });
}

/**
 * What happens to a packet at a guest now, at each of its interfaces: the verdict, the rule that decides, and the policies
 * behind it.
 * @throws AppError `not_found`; `refused` when the guest has no such interface
 */
export async function testPacket(
  scope: Scope<'workload:read'>,
  workloadId: string,
  input: PacketTest,
): Promise<PacketVerdict> {
  const live = await readGuestLive(scope.tenants, workloadId);
  const { board, reading } = live;
  const { show, nameOf } = ruleNamer(board.world, scope.tenants);
  const read = { guest: reading.state, cluster: live.cluster };
  const guest = contextFrom(board.world, live.workload, read, scope.tenants);
  const nics = guest.interfaces ?? [guest.assumed(input.interface ?? 'net0')];
  const chosen = nics.filter(({ name }) => input.interface === undefined || name === input.interface);
  if (chosen.length === 0) {
    throw new AppError('refused', 'The guest has no such interface on a bridge.', {
      errors: [{ field: 'interface', message: `It has ${nics.map(({ name }) => name).join(', ') || 'none'}.` }],
    });
  }
  const packet = packetOf(input);
  const audit = new Map<string, PacketVerdict['audit'][number]>();
  const interfaces = chosen.map((nic) => {
    const verdict = evaluate(nic.live, packet);
    for (const item of auditVerdicts(board, guest, nic, packet, verdict)) audit.set(item.policy_id, item);
    const decided_by = explain(live, show, verdict);
    const rules = [...(decided_by.rule ? [decided_by.rule] : []), ...decided_by.undecided_rules];
    const ours = rules.flatMap(({ owner, policy_id, policy_version }) =>
      owner === 'this_installation' && policy_id !== null && policy_version !== null
        ? [{ policy_id, name: nameOf(policy_id), policy_version }]
        : [],
    );
    const policies = [...new Map(ours.map((item) => [item.policy_id, item])).values()];
    return { name: nic.name, verdict: verdict.verdict, decided_by, policies };
  });
  return { workload_id: workloadId, read_at: reading.read_at, interfaces, audit: [...audit.values()] };
}
