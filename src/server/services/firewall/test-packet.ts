import { evaluate } from '@/domain/firewall/evaluate';
import type { LiveNic, LiveState } from '@/domain/firewall/live-state';
import type { Packet } from '@/domain/firewall/packet';
import { prepareGuest } from '@/domain/firewall/prepare-guest';
import type { DefiniteVerdict, RulePlace, Verdict } from '@/domain/firewall/verdict';
import type { PacketTest, PacketVerdict } from '@/domain/guest-firewall';
import { parseIp } from '@/domain/net/ip-address';
import type { TenantReach } from '@/domain/permissions';
import { compilePolicies } from '@/domain/policy/compile';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { BUILTIN_WORDS, NOT_ENFORCED_WORDS, UNKNOWN_WORDS } from './explain-verdict';
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

type Show = (rule: NonNullable<LiveState['guest']['rules']>[number], vmid: number | null) => NamedRule;

function ruleAt({ state, workload }: GuestLive, show: Show, place: RulePlace): NamedRule | null {
  const { group, group_position, position } = place;
  if (group !== undefined && group_position !== undefined) {
    const rule = state.cluster.groups?.[group]?.find(({ pos }) => pos === group_position);
    return rule ? show(rule, null) : null;
  }
  const rule = state.guest.rules?.find(({ pos }) => pos === position);
  return rule ? show(rule, workload.vmid) : null;
}

type Decision = PacketVerdict['interfaces'][number]['decided_by'];
const NO_RULE = { rule: null, group: null, undecided_rules: [] };

function explain(live: GuestLive, show: Show, { decided_by: by }: Verdict): Decision {
  switch (by.kind) {
    case 'rule': {
      const rule = ruleAt(live, show, by);
      const where = by.group === undefined ? `Rule ${by.position}` : `Rule ${by.group_position} of group ${by.group}`;
      const whose = rule?.policy_name ? ` of policy ${rule.policy_name}` : '';
      return {
        kind: 'rule',
        detail: rule?.action ?? null,
        explanation: `${where}${whose} decides.`,
        rule,
        group: by.group ?? null,
        undecided_rules: [],
      };
    }
    case 'default':
      return { ...NO_RULE, kind: by.kind, detail: by.policy, explanation: 'No rule matches: the default decides.' };
    case 'builtin':
      return { ...NO_RULE, kind: by.kind, detail: by.name, explanation: BUILTIN_WORDS[by.name] };
    case 'not_enforced':
      return { ...NO_RULE, kind: by.kind, detail: by.reason, explanation: NOT_ENFORCED_WORDS[by.reason] };
    case 'unknown': {
      const undecided_rules = by.places.flatMap((place) => ruleAt(live, show, place) ?? []);
      const explanation = UNKNOWN_WORDS[by.reason];
      return { kind: 'unknown', detail: by.reason, explanation, rule: null, group: null, undecided_rules };
    }
  }
}

/** Policies in audit mode of which a rule matches, with what that rule would do. */
function auditVerdicts({ board, workload }: GuestLive, nic: LiveNic, packet: Packet, reach: TenantReach) {
  const { world } = board;
  const audited = world.policies.filter(
    ({ enabled, definition, tenant_id }) =>
      enabled &&
      definition.enforcement_mode === 'audit' &&
      (reach === 'all' || (tenant_id !== null && reach.includes(tenant_id))),
  );
  return audited.flatMap((policy) => {
    const { guests } = compilePolicies([policy], world.index, world.instance);
    const wanted = guests.find(({ workload_id }) => workload_id === workload.id);
    if (!wanted || wanted.rules.length === 0) return [];
    const state: LiveState = {
      cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} },
      guest: {
        options: { enable: 1, policy_in: 'ACCEPT', policy_out: 'ACCEPT', dhcp: 0, ndp: 0, macfilter: 0, radv: 1 },
        rules: wanted.rules.map(({ content, comment }, pos) => ({ pos, ...content, enable: 1, comment })),
        ipsets: Object.fromEntries(wanted.sets.map(({ name, cidrs }) => [name, cidrs.map((cidr) => ({ cidr }))])),
        aliases: {},
      },
    };
    const { verdict, decided_by } = evaluate(prepareGuest(state, { ...nic, firewall: true }), packet);
    if (decided_by.kind !== 'rule' || verdict === 'unknown') return [];
    const decision: DefiniteVerdict = verdict;
    return [{ policy_id: policy.id, name: policy.name, verdict: decision }];
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
  const { board, reading, state } = live;
  const { show, nameOf } = ruleNamer(board.world, scope.tenants);
  const known = reading.state.nics;
  const nics = known ?? [{ name: input.interface ?? 'net0', firewall: null, mac: null }];
  const chosen = nics.filter(({ name }) => input.interface === undefined || name === input.interface);
  if (chosen.length === 0) {
    throw new AppError('refused', 'The guest has no such interface on a bridge.', {
      errors: [{ field: 'interface', message: `It has ${nics.map(({ name }) => name).join(', ') || 'none'}.` }],
    });
  }
  const packet = packetOf(input);
  const audit = new Map<string, PacketVerdict['audit'][number]>();
  const interfaces = chosen.map((nic) => {
    const verdict = evaluate(prepareGuest(state, nic), packet);
    for (const item of auditVerdicts(live, nic, packet, scope.tenants)) audit.set(item.policy_id, item);
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
