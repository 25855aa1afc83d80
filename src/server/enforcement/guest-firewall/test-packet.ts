import { evaluate } from '@/domain/firewall/evaluate';
import type { LiveRule } from '@/domain/firewall/live-state';
import type { Packet } from '@/domain/firewall/packet';
import type { RulePlace, Verdict } from '@/domain/firewall/verdict';
import { auditOutcomes } from '@/domain/flow-context/audit-policy';
import type { GuestContext, GuestInterface } from '@/domain/flow-context/guest-context';
import { actionOf, auditSayOf, type Decider } from '@/domain/flow-verdict';
import type { PacketTest, PacketVerdict } from '@/domain/guest-firewall';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import type { Board } from '../policies/board/board';
import { contextFrom } from '../verdicts/guest-context';
import { decidingRule, describeDecider } from './describe-decider';
import { type NamedRule, ruleNamer } from './named-rules';
import { packetOf } from './packet-of';
import { type GuestLive, readGuestLive } from './read-guest-live';

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

/** Policies in audit mode that would decide about the packet, with what they would do. */
function auditAt({ world }: Board, { audit }: GuestContext, nic: GuestInterface, packet: Packet, live: Verdict) {
  const outcomes = auditOutcomes(audit, packet, live, () => evaluate(nic.dropping(), packet));
  return outcomes.flatMap((outcome) => {
    const policy = world.policies.find(({ id }) => id === outcome.policy_id);
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
  const { board, reading, read_at } = live;
  const { show, nameOf } = ruleNamer(board.world, scope.reach, live.workload);
  const read = { guest: reading.state, cluster: live.cluster };
  const guest = contextFrom(board.world, live.workload, read, scope.reach);
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
    const audited = auditAt(board, guest, nic, packet, verdict);
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
      rules_say: { ...decider, action: actionOf(verdict.verdict), workload_id: workloadId, read_at },
      audit_say: audited.map((outcome) => auditSayOf(outcome, workloadId)),
    };
  });
  return { workload_id: workloadId, read_at, interfaces, audit: [...audit.values()] };
}
