/**
 * Reachability: questions over 500 workloads with 200 rules each in 60 groups, and the matrix of the groups.
 * Run: npx tsx packages/bench/reach.ts [workloads] [rules]        (default 500, 200)
 * Bars: a question within 200 ms, the matrix within 3 s; medians count. *After a reading*, one workload in a hundred differs from what was read
 * before. *All fresh*, every workload does, as after a start or after an edit of a set that the whole cluster uses. The floor, measured in
 * the same run, is evaluating one packet at both ends of each pair of workloads. A time is that of the clock or of the processor, whichever
 * is less: other programs prolong the first, and collecting garbage beside the question the second. Reading from and writing to the database is not part of it.
 */

import { evaluate } from '@/domain/firewall/evaluate';
import type { LiveRule } from '@/domain/firewall/live-state';
import { prepareGuest } from '@/domain/firewall/prepare-guest';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { parseIp } from '@/domain/net/ip-address';
import type { Service } from '@/domain/policy-tests/packet-set';
import { decideReach } from '@/domain/reach/decide-reach';
import { findReached, findSources } from '@/domain/reach/find-reached';
import { computeMatrix } from '@/domain/reach/matrix';
import { ReachInputs } from '@/server/insight/reach/reach-inputs';
import { createGroupedGuests } from './grouped-guests';
import { expectBar, ms, printTable, summary } from './stats';

const [WORKLOADS = 500, RULES = 200] = process.argv.slice(2).map(Number);
const GROUPS = 60;
const REPEATED = 5;
const { workloads, toGroup, listMembers, buildInputs, clusterId, cluster, nodes } = createGroupedGuests({
  workloads: WORKLOADS,
  groups: GROUPS,
  isNftables: (n) => n % 2 === 1,
});
const inputs = buildInputs();

/** Members of a group as a set of a workload. */
const listAddresses = (group: number) =>
  listMembers(group).flatMap(({ addresses }) => addresses.map((cidr) => ({ cidr })));

/** Rules that let two groups in on some ports, some that block a prefix, and many for ports of their own. */
function toRule(n: number, pos: number): LiveRule {
  const out = pos % 10 === 9;
  const peers = pos % 3 === 0 ? '+guest/near' : '+guest/far';
  return {
    pos,
    type: out ? 'out' : 'in',
    action: pos % 7 === 6 ? 'DROP' : 'ACCEPT',
    enable: 1,
    proto: pos % 5 === 4 ? 'udp' : 'tcp',
    dport: pos < 2 ? '443' : String(1_000 + ((pos * 37 + (n % 4)) % 4_000)),
    ...(out ? { dest: `10.${(pos % 3) + 1}.0.0/16` } : { source: pos % 4 === 3 ? `10.1.${pos % 50}.0/24` : peers }),
  };
}

const guests = new Map(
  workloads.map(({ id }, n) => {
    const state: GuestSnapshot = {
      options: { enable: 1 },
      rules: Array.from({ length: RULES }, (_, pos) => toRule(n, pos)),
      ipsets: { near: listAddresses((toGroup(n) + 1) % GROUPS), far: listAddresses((toGroup(n) + 7) % GROUPS) },
      aliases: {},
      presence: 'present',
      nics: [{ name: 'net0', firewall: true, mac: null, bridge: 'vmbr0' }],
      pending_nics: [],
      unreadable: [],
    };
    return [id, { workload_id: id, read_at: cluster.read_at, state }] as const;
  }),
);
const firewall = { inputs, snapshots: { guests, clusters: new Map([[clusterId, cluster]]) } };

const measure = <T>(work: () => T): [T, number] => {
  const [started, usage] = [performance.now(), process.cpuUsage()];
  const value = work();
  const { user, system } = process.cpuUsage(usage);
  return [value, Math.min(performance.now() - started, (user + system) / 1_000)];
};

const https = { protocol: 'tcp', ports: ['443'] } as const;
const everything = { protocol: 'any', ports: [] } as const;
const group = (n: number) => [`sg:group-${n % GROUPS}`];
const workload = (n: number) => [`vmid:bench/${100 + (n % WORKLOADS)}`];

type Asked = ConstructorParameters<typeof ReachInputs>[0];

function askWho(firewall: Asked, at: number, service: Service) {
  const reach = new ReachInputs(firewall, null);
  const { reached } = findSources(reach.everything(), reach.endOf(workload(at)), service, reach.identify);
  return `${reached.length} found`;
}

function askWhat(firewall: Asked, at: number, service: Service) {
  const reach = new ReachInputs(firewall, null);
  const { reached } = findReached(reach.everything(), reach.endOf(workload(at)), service, reach.identify, 3);
  return `${reached.length} found`;
}

/** Each asked from the start, as a request does: nothing of an earlier answer is kept but prepared filters. */
const QUESTIONS: Readonly<Record<string, (firewall: Asked, at: number) => string>> = {
  'group to group, tcp/443'(firewall, at) {
    const reach = new ReachInputs(firewall, null);
    return decideReach(reach.endOf(group(at)), reach.endOf(group(at + 59)), https, reach.identify, 100).answer;
  },
  'group to group, everything'(firewall, at) {
    const reach = new ReachInputs(firewall, null);
    return decideReach(reach.endOf(group(at)), reach.endOf(group(at + 59)), everything, reach.identify, 100).answer;
  },
  'outside to a group, everything'(firewall, at) {
    const reach = new ReachInputs(firewall, null);
    return decideReach(reach.outside(), reach.endOf(group(at)), everything, reach.identify, 100).answer;
  },
  'who can reach a workload on tcp/443': (firewall, at) => askWho(firewall, at, https),
  'who can reach a workload, everything': (firewall, at) => askWho(firewall, at, everything),
  'what a workload reaches in 3 hops on tcp/443': (firewall, at) => askWhat(firewall, at, https),
  'what a workload reaches in 3 hops, everything': (firewall, at) => askWhat(firewall, at, everything),
};

/** As read again, where one workload in so many differs. Nothing that was prepared for these can be used again. */
function readOnceMore(round: number, oneIn: number): Asked {
  const states = new Map(
    [...guests].map(([id, read], n) => {
      if (n % oneIn !== 0) return [id, read] as const;
      const state: GuestSnapshot = structuredClone(read.state);
      const mark = { pos: RULES, type: 'in', action: 'ACCEPT', enable: 0, comment: `round ${round}` } as const;
      return [id, { ...read, state: { ...state, rules: [...(state.rules ?? []), mark] } }] as const;
    }),
  );
  const shared = oneIn === 1 ? structuredClone(cluster) : cluster;
  return { inputs, snapshots: { guests: states, clusters: new Map([[clusterId, shared]]) } };
}

const results = Object.entries(QUESTIONS).map(([name, ask]) => {
  const [answer] = measure(() => ask(firewall, 0));
  const measureState = (state: (at: number) => Asked) =>
    summary(
      Array.from({ length: REPEATED }, (_, at) => {
        const asked = state(at);
        return measure(() => ask(asked, at + 1))[1];
      }),
    );
  return {
    name,
    answer,
    again: measureState(() => firewall),
    later: measureState((at) => readOnceMore(at, 100)),
    fresh: measureState((at) => readOnceMore(at, 1)),
  };
});

async function askMatrix(firewall: Asked) {
  const reach = new ReachInputs(firewall, null);
  const segments = Array.from({ length: GROUPS }, (_, n) => ({ id: String(n), places: reach.endOf(group(n)).places }));
  return computeMatrix(segments, reach.outside().outside, https, reach.identify);
}
const unread = readOnceMore(REPEATED, 1);
const measureMatrix = async () => {
  const [started, usage] = [performance.now(), process.cpuUsage()];
  const cells = await askMatrix(unread);
  const { user, system } = process.cpuUsage(usage);
  return [cells, Math.min(performance.now() - started, (user + system) / 1_000)] as const;
};
const [cells, matrixFirst] = await measureMatrix();
const [, matrixLater] = await measureMatrix();

printTable(
  ['question', 'answer', 'median', 'largest', 'after a reading', 'largest', 'all fresh', 'largest'],
  results.map(({ name, answer, again, later, fresh }) => [
    name,
    answer,
    ...[again, later, fresh].flatMap(({ median, max }) => [ms(median), ms(max)]),
  ]),
);
console.log(`matrix of ${cells.length - 1} groups: ${ms(matrixFirst)} all fresh, ${ms(matrixLater)} later`);
for (const { name, again, later } of results) {
  expectBar(`${name} within 200 ms`, again.median <= 200);
  expectBar(`${name} within 200 ms after a reading`, later.median <= 200);
}
expectBar(`a matrix of ${GROUPS} groups within 3 s`, matrixFirst <= 3_000);

const [, floorMs] = measure(() => {
  const prepared = workloads.map(({ id, node_name }) => {
    const state = guests.get(id)?.state;
    const nic = state?.nics?.[0];
    if (!state || !nic) throw new Error('expected a guest');
    return prepareGuest({ cluster: cluster.state, guest: state, node: nodes[node_name ?? ''] ?? null }, nic);
  });
  const addresses = workloads.map(({ addresses: [text = ''] }) => parseIp(text));
  let accepted = 0;
  for (const [from, sender] of prepared.entries()) {
    for (const [to, receiver] of prepared.entries()) {
      const [source, destination] = [addresses[from], addresses[to]];
      if (!source || !destination || from === to) continue;
      const packet = { source, destination, protocol: 6, source_port: 40_000, destination_port: 443 };
      const isOut = evaluate(sender, { ...packet, direction: 'out' }).verdict === 'accept';
      if (isOut && evaluate(receiver, { ...packet, direction: 'in' }).verdict === 'accept') accepted++;
    }
  }
  return accepted;
});
console.log(`floor (one packet at both ends of each pair): ${ms(floorMs)}`);
