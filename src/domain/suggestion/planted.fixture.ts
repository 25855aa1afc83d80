import { randomSource } from '../firewall/random-state.fixture';
import type { ObservedPair, SuggestionWorkload } from './observed';

const HOUR_MS = 3_600_000;
/** The window, and where its held-out part begins. */
export const PLANTED_SINCE = Date.UTC(2026, 10, 25);
export const PLANTED_UNTIL = PLANTED_SINCE + 24 * HOUR_MS;
export const PLANTED_SPLIT = PLANTED_SINCE + 18 * HOUR_MS;

export type PlantedRule = {
  readonly from: number;
  readonly to: number;
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
};

/** A policy that Fabric does not know, and the traffic that it caused. */
export type Planted = {
  readonly workloads: readonly SuggestionWorkload[];
  /** The group of each workload. */
  readonly groupOf: readonly number[];
  readonly rules: readonly PlantedRule[];
  readonly pairs: readonly ObservedPair[];
  /** Share of the connections that the rules allow that were ever used. */
  readonly tightness: number;
};

const PORTS = [22, 80, 443, 3306, 5432, 5672, 6379, 8080, 8443, 9092, 9200, 11211, 27017];
const toAddress = (n: number) => `10.${20 + (n >> 8)}.${n & 255}.10`;
const toId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/**
 * Groups of workloads, rules between them, DNS and monitoring for all, and conversations by these rules over a day. Some clients
 * open more conversations than others.
 */
export function plantPolicy(seed: number, size: { workloads: number; groups: number; conversations: number }): Planted {
  const random = randomSource(seed);
  const below = (n: number) => Math.floor(random() * n);
  const { groups } = size;
  const groupOf = Array.from({ length: size.workloads }, (_, n) => (n < groups ? n : below(groups)));
  const members = Array.from({ length: groups }, (_, group) => groupOf.flatMap((one, n) => (one === group ? [n] : [])));
  const keys = new Set<string>();
  const rules: PlantedRule[] = [];
  const add = (rule: PlantedRule) => {
    const key = JSON.stringify(rule);
    if (rule.from !== rule.to && !keys.has(key)) rules.push(rule);
    keys.add(key);
  };
  for (let group = 0; group < groups; group++) {
    if (group !== 0) add({ from: group, to: 0, protocol: 'udp', port: 53 });
    if (group !== 1) add({ from: 1, to: group, protocol: 'tcp', port: 9100 });
    for (let n = 0; n < 2; n++) {
      add({ from: group, to: below(groups), protocol: 'tcp', port: PORTS[below(PORTS.length)] as number });
    }
  }
  const sums = new Map<string, ObservedPair>();
  for (let n = 0; n < size.conversations; n++) {
    const rule = rules[below(rules.length)] as PlantedRule;
    const [from, to] = [members[rule.from] as number[], members[rule.to] as number[]];
    // Some clients talk more than others.
    const client = from[Math.floor(random() ** 1.3 * from.length)] as number;
    const server = to[below(to.length)] as number;
    const at = PLANTED_SINCE + Math.floor(random() * (PLANTED_UNTIL - PLANTED_SINCE));
    const key = `${client} ${server} ${rule.protocol} ${rule.port}`;
    const known = sums.get(key);
    const isHeldOut = at >= PLANTED_SPLIT;
    sums.set(key, {
      client: { workload_id: toId(client), ip: toAddress(client), port: null, external: false },
      server: { workload_id: toId(server), ip: toAddress(server), port: rule.port, external: false },
      protocol: rule.protocol,
      service_port: rule.port,
      is_client_known: true,
      icmp_type: null,
      action: 'allowed',
      answered: true,
      conversations: (known?.conversations ?? 0) + (isHeldOut ? 0 : 1),
      held_out: (known?.held_out ?? 0) + (isHeldOut ? 1 : 0),
      bytes: (known?.bytes ?? 0) + 1_000,
      first_seen: Math.min(known?.first_seen ?? at, at),
      last_seen: Math.max(known?.last_seen ?? at, at),
    });
  }
  const countMembers = (group: number) => members[group]?.length ?? 0;
  const allowed = rules.reduce((sum, { from, to }) => sum + countMembers(from) * countMembers(to), 0);
  return {
    workloads: groupOf.map((group, n) => ({
      id: toId(n),
      name: `app${group}-${String(n).padStart(3, '0')}`,
      tags: [],
      endpoint: `app${group}-${String(n).padStart(3, '0')}`,
      addresses: [toAddress(n)],
      in_scope: true,
    })),
    groupOf,
    rules,
    pairs: [...sums.values()],
    tightness: sums.size / allowed,
  };
}
