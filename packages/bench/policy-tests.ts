/**
 * Policy tests: 500 tests over 1,000 workloads, all of them, and those that one event touches.
 * Run: npx tsx packages/bench/policy-tests.ts
 * Bars: all within 5 s, prepared filters included; after one event within 200 ms. The floor, measured in the same run, is evaluating
 * one packet at each workload of each test. Times are of the processor, garbage collection included. Reading from and writing to the database is not part of it.
 */

import { evaluate } from '@/domain/firewall/evaluate';
import type { LiveRule } from '@/domain/firewall/live-state';
import { prepareGuest } from '@/domain/firewall/prepare-guest';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { parseIp } from '@/domain/net/ip-address';
import { TestInputs } from '@/server/enforcement/policy-tests/test-inputs';
import { createGroupedGuests, toAddress } from './grouped-guests';
import { expectBar, ms } from './stats';

const WORKLOADS = 1_000;
const GROUPS = 50;
const TESTS = 500;
const RULES = 20;
const { workloads, toGroup, listMembers, buildInputs, clusterId, cluster, nodes } = createGroupedGuests({
  workloads: WORKLOADS,
  groups: GROUPS,
});

/** Rules that let the members of the next group in, and others of which most match none of the tests. */
const guests = new Map(
  workloads.map(({ id }, n) => {
    const peers = Array.from({ length: 20 }, (_, at) => toAddress(((toGroup(n) + 1) % GROUPS) + at * GROUPS));
    const rules = Array.from(
      { length: RULES },
      (_, pos): LiveRule => ({
        pos,
        type: pos % 5 === 4 ? 'out' : 'in',
        action: pos % 7 === 6 ? 'DROP' : 'ACCEPT',
        enable: 1,
        proto: 'tcp',
        dport: pos === 0 ? '443' : String(1_000 + pos),
        source: pos === 0 ? '+guest/peers' : `10.${pos}.0.0/16`,
      }),
    );
    const state: GuestSnapshot = {
      options: { enable: 1 },
      rules,
      ipsets: { peers: peers.map((cidr) => ({ cidr })) },
      aliases: {},
      presence: 'present',
      nics: [{ name: 'net0', firewall: true, mac: null, bridge: 'vmbr0' }],
      pending_nics: [],
      unreadable: [],
    };
    return [id, { workload_id: id, read_at: cluster.read_at, state }] as const;
  }),
);
const snapshots = { guests, clusters: new Map([[clusterId, cluster]]) };

const tests = Array.from({ length: TESTS }, (_, n) => {
  const to = n % GROUPS;
  const from = n % 10 === 9 ? ['any'] : [`sg:group-${(to + (n % 3) + 1) % GROUPS}`];
  const expect = n % 3 === 0 && n % 10 !== 9 ? ('allow' as const) : ('deny' as const);
  const port = n % 3 === 0 ? '443' : String(1_000 + (n % 30));
  return { tenant_id: null, expect, from, to: [`sg:group-${to}`], protocol: 'tcp' as const, ports: [port] };
});

const measureCpuTime = <T>(work: () => T): [T, number] => {
  const started = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(started);
  return [value, (user + system) / 1_000];
};
const count = (results: readonly string[]) =>
  ['pass', 'fail', 'unknown'].map((one) => `${results.filter((result) => result === one).length} ${one}`).join(', ');

const before = { inputs: buildInputs([]), snapshots };
const [first, allMs] = measureCpuTime(() => {
  const inputs = new TestInputs(before);
  return tests.map((test) => ({ print: inputs.printOf(test), result: inputs.decide(test).result }));
});
console.log(`${TESTS} tests over ${WORKLOADS} workloads: ${ms(allMs)} (${count(first.map(({ result }) => result))})`);
expectBar(`${TESTS} tests over ${WORKLOADS} workloads within 5 s`, allMs <= 5_000);

// One more member of a group: what the worker does when it notices.
const after = { inputs: buildInputs([workloads[7]?.id ?? '']), snapshots };
const [touched, eventMs] = measureCpuTime(() => {
  const inputs = new TestInputs(after);
  return tests.flatMap((test, at) => (inputs.printOf(test) === first[at]?.print ? [] : [inputs.decide(test).result]));
});
console.log(`after one event: ${touched.length} tests, ${ms(eventMs)}`);
expectBar(
  'the tests that one event touches within 200 ms',
  eventMs <= 200 && touched.length > 0 && touched.length < TESTS / 5,
);

const [, floorMs] = measureCpuTime(() => {
  const packet = { protocol: 6, source_port: 40_000, destination_port: 443, direction: 'in' } as const;
  const source = parseIp('10.1.0.1');
  if (!source) throw new Error('expected an address');
  const prepared = new Map(
    workloads.map(({ id, node_name }) => {
      const state = guests.get(id)?.state;
      const nic = state?.nics?.[0];
      if (!state || !nic) throw new Error('expected a guest');
      return [id, prepareGuest({ cluster: cluster.state, guest: state, node: nodes[node_name ?? ''] ?? null }, nic)];
    }),
  );
  let accepted = 0;
  for (const { to } of tests) {
    for (const { id } of listMembers(Number(to[0]?.split('-')[1]))) {
      const guest = prepared.get(id);
      if (guest && evaluate(guest, { ...packet, source, destination: source }).verdict === 'accept') accepted++;
    }
  }
  return accepted;
});
console.log(
  `floor (one packet at each workload of each test): ${ms(floorMs)}; deciding takes ${(allMs / floorMs).toFixed(1)} times that`,
);
