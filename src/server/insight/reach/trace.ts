import type { Packet } from '@/domain/firewall/packet';
import { ruleAt } from '@/domain/firewall/rule-at';
import { spansHave } from '@/domain/firewall/space/spans';
import { formatIp, type IpAddress } from '@/domain/net/ip-address';
import { isVisibleAt, isWithinReach, type Reach } from '@/domain/permissions';
import { getOwnerId, type OwnerId } from '@/domain/policy/acts-on';
import { parseEndpoint } from '@/domain/policy/endpoint';
import { parseMarker } from '@/domain/policy/marker';
import { findGroups, resolvePeers, resolveWorkloads } from '@/domain/policy/resolve';
import type { Stage } from '@/domain/reach/pairs';
import type { TraceLine } from '@/domain/reach/reach';
import { type NamedRule, ruleNamer } from '../../enforcement/guest-firewall/named-rules';
import { liveStateAt } from '../../enforcement/policies/firewall-state/views';
import type { Readable } from '../../enforcement/policies/planned-change';
import { policiesById } from '../../enforcement/policies/policy-inputs';
import type { InputPolicy, InputWorkload } from '../../enforcement/queries/policy-inputs';

const line = (depth: number, kind: TraceLine['kind'], text: string, id: string | null = null): TraceLine => ({
  depth,
  kind,
  text,
  id,
});

/** A live rule as one line: `in ACCEPT tcp 443 from +guest/web`. */
function formatRule(rule: NamedRule): string {
  const ends = [rule.source && `from ${rule.source}`, rule.destination && `to ${rule.destination}`];
  const service = [rule.macro, rule.protocol, rule.destination_port, rule.icmp_type];
  return [rule.type, rule.action, ...service, ...ends].filter(Boolean).join(' ');
}

type At = { readonly firewall: Readable; readonly reach: Reach; readonly workload: InputWorkload };

/** The endpoint of a policy that holds an address, with the group, the member and the address; nothing when none does. */
function traceEnd(
  { firewall, reach }: At,
  kind: 'source' | 'target',
  endpoints: readonly string[],
  owner: OwnerId,
  ip: IpAddress,
): TraceLine[] {
  const { index, workloads } = firewall.inputs;
  for (const text of endpoints) {
    const peers = resolvePeers(text, index, owner);
    const isMatch = peers === 'any' || (!('reason' in peers) && spansHave(peers[ip.family], ip.value));
    if (!isMatch) continue;
    const lines = [line(2, kind, text)];
    const parsed = parseEndpoint(text);
    const members = resolveWorkloads(text, index, owner);
    const address = formatIp(ip);
    const member = 'reason' in members ? undefined : members.find(({ addresses }) => addresses.includes(address));
    const known = member && workloads.get(member.id);
    const isGroup = !('error' in parsed) && parsed.kind === 'security_group';
    const [group] = isGroup ? findGroups(parsed.reference, index.groups, owner) : [];
    if (group) lines.push(line(3, 'group', group.name, group.id));
    if (known && isWithinReach(known, reach)) lines.push(line(lines.length + 2, 'member', known.name, known.id));
    lines.push(line(lines.length + 2, 'address', address));
    return lines;
  }
  return [];
}

/** A policy that the reader may open at the workload, of this installation. */
function findOpenPolicy({ firewall, reach, workload }: At, policyId: string): InputPolicy | null {
  const policy = policiesById(firewall.inputs.policies).get(policyId);
  return policy && isVisibleAt(policy, workload, reach) ? policy : null;
}

/**
 * What matched a packet at a workload, as a tree: the policy, its rule, and of each end the endpoint, group, member and address.
 * What the reader may not see of a rule is left out.
 */
export function traceStage(firewall: Readable, reach: Reach, stage: Stage, packet: Packet): TraceLine[] {
  const { place, decided_by: by } = stage;
  const workload = place.ref.kind === 'workload' ? firewall.inputs.workloads.get(place.ref.id) : undefined;
  if (!workload) return [];
  if (by.kind === 'default') return [line(0, 'default', by.policy)];
  if (by.kind !== 'rule') return [];
  const found = ruleAt(liveStateAt(firewall, workload), by);
  if (!found) return [];
  const { show, isOpen } = ruleNamer(firewall.inputs, reach, workload);
  const shown = show(found.rule, found.own ? workload.vmid : null);
  // Rules of nodes and VNets are shown on their own pages, to those who may read clusters.
  if (by.scope !== undefined || shown.residual || !isOpen(found.rule)) return [];
  const context: At = { firewall, reach, workload };
  const marker = shown.owner === 'this_installation' ? parseMarker(found.rule.comment) : null;
  const policy = marker && findOpenPolicy(context, marker.policy_id);
  if (!policy) {
    const text = found.group === null ? formatRule(shown) : `${found.group}: ${formatRule(shown)}`;
    return [
      line(0, 'rule', text),
      line(1, 'source', formatIp(packet.source)),
      line(1, 'target', formatIp(packet.destination)),
    ];
  }
  const owner = getOwnerId(policy);
  const { sources, targets } = policy.definition;
  return [
    line(0, 'policy', policy.name, policy.id),
    line(1, 'rule', formatRule(shown)),
    ...traceEnd(context, 'source', sources, owner, packet.source),
    ...traceEnd(context, 'target', targets, owner, packet.destination),
  ];
}
