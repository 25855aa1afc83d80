import type { LiveGuestOptions, LiveRule } from '../../firewall/live-state';
import type { Packet } from '../../firewall/packet';
import { randomSource } from '../../firewall/random-state.fixture';
import { parseIp } from '../../net/ip-address';
import { compilePolicies } from '../compile';
import { indexInventory } from '../inventory-index';
import { renumber, toLiveRule } from '../policy-model.fixture';
import { INVENTORY, randomPolicies } from '../random-policies.fixture';
import { comparePolicies } from '../tier';
import type { DefaultGoal, GuestFilter, GuestIntent } from './guest-filter';

const INDEX = indexInventory(INVENTORY);
const INSTANCE = 'inst1';
const VMID = 101;

const FOREIGN: Omit<LiveRule, 'pos'>[] = [
  { type: 'in', action: 'DROP', enable: 1, source: '10.0.0.2', comment: 'by hand' },
  { type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '22', comment: 'by hand, too' },
  { type: 'out', action: 'REJECT', enable: 1, dest: '10.0.0.3' },
  { type: 'in', action: 'DROP', enable: 0, comment: 'switched off' },
  { type: 'group', action: 'web', enable: 1 },
  { type: 'in', action: 'ACCEPT', enable: 1, macro: 'SSH', iface: 'net0' },
];

export type RandomGuest = { state: GuestFilter; intent: GuestIntent };

const desiredAt = (policies: ReturnType<typeof randomPolicies>) =>
  compilePolicies(policies, INDEX, INSTANCE).guests.find(({ workload_id }) => workload_id === 'web1');

/**
 * A guest in any state that people, clones, crashes and older versions may leave behind, and its desired state.
 * @param damagedSets also entries of sets that someone edited: then rules decide what neither state requires
 */
export function randomGuest(seed: number, damagedSets = false): RandomGuest {
  const random = randomSource(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const policies = randomPolicies(seed);
  const older = random() < 0.5 ? randomPolicies(seed + 1_000_000) : policies;
  const before = desiredAt(older.map((policy) => ({ ...policy, version: policy.version + (random() < 0.4 ? 1 : 0) })));
  const desired = desiredAt(policies);
  const damage = (rule: LiveRule): LiveRule[] => {
    const dice = random();
    if (dice < 0.15) return [];
    if (dice < 0.25) return [rule, { ...rule }];
    if (dice < 0.35) return [{ ...rule, enable: 0 }];
    if (dice < 0.42) return [{ ...rule, action: 'REJECT' }];
    if (dice < 0.47) return [{ ...rule, comment: rule.comment?.replace('g=101', 'g=999') ?? '' }];
    if (dice < 0.52) return [{ ...rule, comment: rule.comment?.replace('i=inst1', 'i=other') ?? '' }];
    return [rule];
  };
  const ours = (before?.rules ?? []).slice(0, 14).map(toLiveRule).flatMap(damage);
  const foreign = Array.from({ length: Math.floor(random() * 4) }, () => ({ pos: 0, ...pick(FOREIGN) }));
  const mixed = [...ours, ...foreign];
  const shuffled =
    random() < 0.4
      ? mixed
      : mixed
          .map((rule) => [random(), rule] as const)
          .sort(([a], [b]) => a - b)
          .map(([, rule]) => rule);
  const ids = [...new Set([...policies, ...older].map(({ id }) => id))];
  const scope = new Set(random() < 0.3 ? ids : ids.filter(() => random() < 0.6));
  const off = random() < 0.3;
  const live: Record<string, { cidr: string; nomatch?: number }[]> = {};
  for (const set of [...(before?.sets ?? []), ...(desired?.sets ?? [])]) {
    const used = shuffled.some(({ source, dest }) => [source, dest].includes(`+guest/${set.name}`));
    if (random() < 0.3 && (damagedSets || !used)) continue;
    const cidrs = damagedSets || !used ? set.cidrs.filter(() => random() < 0.97) : set.cidrs;
    live[set.name] = cidrs.map((cidr) => ({ cidr }));
    if (damagedSets && random() < 0.2)
      live[set.name]?.push({ cidr: '10.0.0.0/28' }, { cidr: '10.0.0.4/30', nomatch: 1 });
  }
  const goal = (drops: readonly string[] | undefined): DefaultGoal =>
    drops?.some((id) => scope.has(id)) ? 'drop' : pick<DefaultGoal>([{ restore: 'ACCEPT' }, 'leave', 'keep', 'keep']);
  const rules = (desired?.rules ?? []).slice(0, 14).filter(({ policy_id }) => scope.has(policy_id));
  const referred = new Set(rules.flatMap(({ content }) => [content.source, content.dest]));
  const options: LiveGuestOptions = {
    enable: off ? 0 : 1,
    ...(random() < 0.6 && { policy_in: pick(['DROP', 'ACCEPT', 'REJECT']) }),
    ...(random() < 0.4 && { policy_out: pick(['DROP', 'ACCEPT']) }),
  };
  return {
    state: {
      rules: renumber(shuffled.slice(0, 24)),
      options,
      sets: live,
      nics: [
        { name: 'net0', firewall: !off && random() < 0.8, editable: true },
        { name: 'net1', firewall: random() < 0.5, editable: random() < 0.8 },
      ],
    },
    intent: {
      instance: INSTANCE,
      vmid: VMID,
      placement: pick(['above', 'below'] as const),
      scope,
      rules,
      sets: (desired?.sets ?? []).filter(({ name }) => referred.has(`+guest/${name}`)),
      order: [...policies].sort(comparePolicies).map(({ id }) => id),
      remove_strays: random() < 0.8,
      default_in: goal(desired?.drop_in),
      default_out: goal(desired?.drop_out),
      switch_on: rules.length > 0,
    },
  };
}

const HOSTS = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.5', '10.0.0.9', '10.9.4.8', '192.0.2.1'];
const HOSTS6 = ['fd00::1', 'fd00::3', '2001:db8::7'];
const KINDS = [
  { protocol: 6, source_port: 45000, destination_port: 22 },
  { protocol: 6, source_port: 1024, destination_port: 85 },
  { protocol: 6, source_port: 45000, destination_port: 9999 },
  { protocol: 17, source_port: 45000, destination_port: 22 },
  { protocol: 132, source_port: 45000, destination_port: 22 },
] as const;

/** Packets of every kind that random policies speak of, from and to every kind of host. */
export const PACKETS: readonly Packet[] = (['in', 'out'] as const).flatMap((direction) =>
  [...HOSTS, ...HOSTS6].flatMap((host) => {
    const own = parseIp(host.includes(':') ? 'fd00::1' : '10.0.0.1');
    const other = parseIp(host);
    if (!own || !other) throw new Error('not an address');
    const ends = direction === 'in' ? { source: other, destination: own } : { source: own, destination: other };
    const icmp = { protocol: other.family === 4 ? 1 : 58, icmp_type: other.family === 4 ? 8 : 128, icmp_code: 0 };
    return [...KINDS, icmp].map((kind): Packet => ({ direction, ...ends, ...kind }));
  }),
);
