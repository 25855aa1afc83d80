/**
 * Rule hygiene: what each rule of 500 workloads with 200 rules each does in its chain.
 * Run: npx tsx packages/bench/hygiene.ts [workloads] [rules]        (default 500, 200)
 * Bars: all workloads within 30 s with chains that all differ; again within 5 s when one workload in a hundred differs. The floor,
 * measured in the same run, is preparing the filters. Times are of the processor, garbage collection included. Reading from and
 * writing to the database is not part of it.
 */

import { createHash } from 'node:crypto';
import type { LiveRule, LiveState } from '@/domain/firewall/live-state';
import { prepareGuest } from '@/domain/firewall/prepare-guest';
import type { RuleRole } from '@/domain/hygiene/analyze-chain';
import { analyzeGuest, type ChainCache } from '@/domain/hygiene/analyze-guest';
import { expectBar, ms, printTable } from './stats';

const [WORKLOADS = 500, RULES = 200] = process.argv.slice(2).map(Number);
const NODE = { options: {}, networks: ['10.0.0.6/24'], rules: [] };

/** Rules for single ports from groups, some that block a prefix, a few that are wider, and copies. */
function toRule(seed: number, pos: number): LiveRule {
  const isCopy = pos > 50 && pos % 20 === 19;
  const at = isCopy ? pos - 50 : pos;
  const out = at % 10 === 9;
  const isWide = at % 25 === 24;
  return {
    pos,
    type: out ? 'out' : 'in',
    action: at % 7 === 6 ? 'DROP' : 'ACCEPT',
    enable: 1,
    proto: at % 5 === 4 ? 'udp' : 'tcp',
    dport: isWide ? '1000:2000' : String(1_000 + ((at * 37 + seed) % 4_000)),
    ...(out
      ? { dest: `10.${(at % 3) + 1}.0.0/16` }
      : { source: at % 4 === 3 ? `10.1.${at % 50}.0/24` : '+guest/near' }),
  };
}

const toState = (seed: number): LiveState => ({
  cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, vnets: {} },
  node: NODE,
  guest: {
    options: { enable: 1 },
    rules: Array.from({ length: RULES }, (_, pos) => toRule(seed, pos)),
    ipsets: { near: Array.from({ length: 12 }, (_, host) => ({ cidr: `10.0.${seed % 60}.${host * 3}` })) },
    aliases: {},
  },
});
const NIC = { name: 'net0', firewall: true, mac: null, bridge: 'vmbr0' };

function measureCpuTime<T>(work: () => T): [T, number] {
  const started = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(started);
  return [value, (user + system) / 1_000];
}

function createCache(): ChainCache {
  const known = new Map<string, ReadonlyMap<number, RuleRole>>();
  return (key, make) => {
    const hash = createHash('sha256').update(key).digest('base64url');
    const roles = known.get(hash) ?? make();
    known.set(hash, roles);
    return roles;
  };
}

function check(states: readonly LiveState[], cache: ChainCache) {
  const counts = { shadowed: 0, redundant: 0, effective: 0, unknown: 0, contradictory: 0 };
  for (const state of states) {
    for (const role of analyzeGuest([prepareGuest(state, NIC)], ({ position }) => `${position}`, cache).values()) {
      counts[role.status] += 1;
      if (role.conflicts.length > 0) counts.contradictory += 1;
    }
  }
  return counts;
}

const differing = Array.from({ length: WORKLOADS }, (_, n) => toState(n));
const grouped = Array.from({ length: WORKLOADS }, (_, n) => toState(n % 60));
const edited = differing.map((state, n) => (n % 100 === 0 ? toState(n + WORKLOADS) : state));

const [, floor] = measureCpuTime(() => {
  for (const state of differing) {
    const guest = prepareGuest(state, NIC);
    for (const direction of ['in', 'out'] as const)
      for (const family of [4, 6] as const) guest.filters[0].index(direction, family);
  }
});
const cache = createCache();
const [found, allMs] = measureCpuTime(() => check(differing, cache));
const [, againMs] = measureCpuTime(() => check(edited, cache));
const [, groupedMs] = measureCpuTime(() => check(grouped, createCache()));
printTable(
  ['check', 'time', 'per workload'],
  [
    ['filters prepared (floor)', ms(floor), ms(floor / WORKLOADS)],
    ['all chains differ', ms(allMs), ms(allMs / WORKLOADS)],
    ['again, one workload in a hundred edited', ms(againMs), ms(againMs / WORKLOADS)],
    ['60 groups with the same rules', ms(groupedMs), ms(groupedMs / WORKLOADS)],
  ],
);
console.log(
  Object.entries(found)
    .map(([what, count]) => `${count} ${what}`)
    .join(', '),
);
expectBar(`${WORKLOADS} workloads × ${RULES} rules within 30 s`, allMs <= 30_000);
expectBar('again within 5 s', againMs <= 5_000);
