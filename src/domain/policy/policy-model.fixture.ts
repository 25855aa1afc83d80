import type { LiveRule } from '../firewall/live-state';
import type { Packet } from '../firewall/packet';
import { cidrContains, parseCidr } from '../net/cidr';
import { type IpAddress, parseIp } from '../net/ip-address';
import type { GuestDiff } from './compare-rules';
import type { CompilablePolicy, DesiredRule } from './desired';
import type { IndexedWorkload, Inventory } from './inventory-index';

/** A second, direct reading of what policies mean, for tests only: nothing is compiled, every packet asks the inventory. */
export function members(text: string, inventory: Inventory, tenant: string | null): IndexedWorkload[] {
  const key = `${tenant ?? ''} ${text}`;
  const known = asked.get(inventory) ?? new Map<string, IndexedWorkload[]>();
  asked.set(inventory, known);
  const found = known.get(key) ?? computeMembers(text, inventory, tenant);
  known.set(key, found);
  return found;
}

/** An inventory stays as it is, and thousands of packets ask it the same. */
const asked = new WeakMap<Inventory, Map<string, IndexedWorkload[]>>();

function computeMembers(text: string, inventory: Inventory, tenant: string | null): IndexedWorkload[] {
  const seen = inventory.workloads.filter((workload) => tenant === null || workload.tenant_id === tenant);
  const single = (list: IndexedWorkload[]) => (list.length === 1 ? list : []);
  if (text.startsWith('sg:')) {
    const name = text.slice(3);
    const groups = inventory.security_groups.filter(
      (group) =>
        (group.name === name && group.tenant_id === tenant) ||
        (group.id === name && (tenant === null || group.tenant_id === tenant)),
    );
    return groups.length === 1 ? seen.filter((workload) => groups[0]?.workload_ids.includes(workload.id)) : [];
  }
  if (text.startsWith('tag:')) return seen.filter((workload) => workload.tags.includes(text.slice(4)));
  if (text.startsWith('vmid:')) {
    const [cluster, vmid] = text.includes('/') ? text.slice(5).split('/') : [null, text.slice(5)];
    const ids = inventory.clusters.filter(({ id, name }) => cluster === id || cluster === name).map(({ id }) => id);
    return single(seen.filter((w) => String(w.vmid) === vmid && (cluster === null || ids.includes(w.cluster_id))));
  }
  if (text === 'any' || text.startsWith('network:') || parseCidr(text)) return [];
  return single(seen.filter((workload) => workload.name === text));
}

export function isPeer(text: string, ip: IpAddress, inventory: Inventory, tenant: string | null): boolean {
  const inside = (cidr: string) => {
    const parsed = parseCidr(cidr);
    return parsed !== null && cidrContains(parsed, ip);
  };
  if (text === 'any') return true;
  if (text.startsWith('network:')) {
    const [name, cluster] = text.slice(8).split('/').reverse();
    const seen = inventory.networks
      .filter((network) => {
        const { name: called } = inventory.clusters.find(({ id }) => id === network.cluster_id) ?? {};
        return network.name === name && (cluster === undefined || cluster === network.cluster_id || cluster === called);
      })
      .flatMap(({ cidrs, cidrs_of_owners }) =>
        tenant === null ? [cidrs] : cidrs_of_owners?.[tenant] ? [cidrs_of_owners[tenant]] : [],
      );
    return seen.length === 1 && seen.flat().some((cidr) => cidr !== undefined && inside(cidr));
  }
  if (parseCidr(text)) return inside(text);
  const running = members(text, inventory, tenant).filter((workload) => !workload.template);
  return running.some((workload) =>
    workload.addresses.some((address) => {
      const own = parseIp(address.replace(/\/.*/, ''));
      return own?.family === ip.family && own.value === ip.value;
    }),
  );
}

const PROTOCOLS: Record<string, number[]> = {
  tcp: [6],
  udp: [17],
  'tcp/udp': [6, 17],
  icmp: [1],
  icmpv6: [58],
  sctp: [132],
};

function ruleMatches(rule: CompilablePolicy['rules'][number], packet: Packet): boolean {
  const { family } = packet.source;
  if (rule.protocol !== 'any' && !PROTOCOLS[rule.protocol]?.includes(packet.protocol)) return false;
  if (rule.protocol === 'icmp' && family !== 4) return false;
  if (rule.protocol === 'icmpv6' && family !== 6) return false;
  const has = (ports: readonly string[], port = 0) =>
    ports.length === 0 ||
    ports.some((item) => {
      const [low, high = low] = item.split('-').map(Number);
      return (low ?? 0) <= port && port <= (high ?? 0);
    });
  if (!has(rule.destination_ports, packet.destination_port) || !has(rule.source_ports, packet.source_port))
    return false;
  return rule.icmp_type === null || packet.icmp_type === (family === 4 ? 8 : 128);
}

/** What the policies say about a packet at a workload, or null when none says anything. */
export function evaluatePolicies(
  policies: readonly CompilablePolicy[],
  inventory: Inventory,
  workload: IndexedWorkload,
  packet: Packet,
): 'accept' | 'drop' | 'reject' | null {
  const key = (policy: CompilablePolicy) =>
    `${{ platform_first: 1, tenant: 2, platform_last: 3 }[policy.tier]} ${String(policy.priority).padStart(6, '0')} ${policy.created_at} ${policy.id}`;
  const incoming = packet.direction === 'in';
  for (const policy of [...policies].sort((a, b) => (key(a) < key(b) ? -1 : 1))) {
    const { direction, sources, targets } = policy.definition;
    if (direction !== 'both' && direction !== packet.direction) continue;
    const here = incoming ? targets : sources;
    const there = incoming ? sources : targets;
    const other = incoming ? packet.source : packet.destination;
    const placed = here.some((text) => members(text, inventory, policy.tenant_id).some(({ id }) => id === workload.id));
    if (!placed || workload.template) continue;
    if (!there.some((text) => isPeer(text, other, inventory, policy.tenant_id))) continue;
    const rule = policy.rules.find((candidate) => candidate.enabled && ruleMatches(candidate, packet));
    if (rule) return rule.action;
  }
  return null;
}

/** A desired rule as the hypervisor returns it. */
export const toLiveRule = (rule: DesiredRule, pos: number): LiveRule => ({
  pos,
  enable: 1,
  ...rule.content,
  comment: rule.comment,
});

export const renumber = (rules: readonly LiveRule[]): LiveRule[] => rules.map((rule, pos) => ({ ...rule, pos }));

/** The live rules after a difference was applied, step by step: stale ones go, the rest is put where it belongs. */
export function applyDiff(live: readonly LiveRule[], diff: GuestDiff): LiveRule[] {
  const gone = new Set(diff.removed.map(({ rule }) => rule));
  const left = live.filter((rule) => !gone.has(rule));
  const result = diff.result.map((item) => ('content' in item ? toLiveRule(item, 0) : item));
  const known = new Set(result);
  if (left.some((rule) => !known.has(rule))) throw new Error('A rule that stays is not in the result.');
  return renumber(result);
}
