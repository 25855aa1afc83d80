/**
 * Dividing packet sets: a filter with 500 rules and sets of 300 members, restricted to one service and whole, and the difference of
 * two such filters. The floor, measured in the same run, is `evaluate` of one packet of each part, which no way of dividing can
 * do without.
 * Run: npx tsx packages/bench/packet-sets.ts
 */
import { evaluate } from '@/domain/firewall/evaluate';
import type { LiveRule, LiveState } from '@/domain/firewall/live-state';
import { type PreparedGuest, prepareGuest } from '@/domain/firewall/prepare-guest';
import { type Box, buildBox } from '@/domain/firewall/space/box';
import { decompose } from '@/domain/firewall/space/decompose';
import { computeDifference } from '@/domain/impact/difference';
import { expectBar, ms, printTable } from './stats';

const [RULES, SETS, MEMBERS] = [500, 40, 300];
const NIC = { name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01' };
const PORTS = [22, 80, 443, 3306, 5432, 8080, 8443];

/** The same numbers in every run. */
let seed = 1;
function randomBelow(count: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * count);
}

const ipsets = Object.fromEntries(
  Array.from({ length: SETS }, (_, set) => [
    `s${set}`,
    Array.from({ length: MEMBERS }, () => ({ cidr: `10.${randomBelow(256)}.${randomBelow(256)}.${randomBelow(256)}` })),
  ]),
);
const rules = Array.from({ length: RULES }, (_, pos): LiveRule => {
  const port =
    pos % 8 === 7 ? `${1000 + randomBelow(5000)}:${7000 + randomBelow(20000)}` : String(PORTS[randomBelow(7)]);
  return {
    pos,
    type: pos % 10 === 9 ? 'out' : 'in',
    action: pos % 5 === 4 ? 'DROP' : 'ACCEPT',
    enable: 1,
    source: `+s${randomBelow(SETS)}`,
    ...(pos % 6 === 0 && { dest: `+s${randomBelow(SETS)}` }),
    ...(pos % 20 !== 0 && { proto: pos % 4 === 0 ? 'udp' : 'tcp', dport: port }),
  };
});

function prepare(list: readonly LiveRule[], policy_in = 'DROP'): PreparedGuest {
  const state: LiveState = {
    cluster: { firewall_enabled: true, groups: {}, aliases: {}, ipsets: {} },
    guest: { options: { enable: 1, policy_in }, rules: list, ipsets, aliases: {} },
    node: { options: {}, networks: ['10.0.0.2/24'], rules: [] },
  };
  const guest = prepareGuest(state, NIC);
  // Their indexes are built when first needed.
  for (const direction of ['in', 'out'] as const) {
    for (const family of [4, 6] as const) guest.filters[0].index(direction, family);
  }
  return guest;
}

/** Processor time, not wall time: it leaves out other work on the machine. */
function measureCpuTime<T>(run: () => T): { found: T; time: number } {
  const start = process.cpuUsage();
  const found = run();
  const { user, system } = process.cpuUsage(start);
  return { found, time: (user + system) / 1000 };
}

const SERVICE = buildBox({ family: 4, protocols: [6], ports: [{ first: 443, last: 443 }] });
const ROUNDS = 7;
const rows: string[][] = [];
const medians = new Map<string, number>();

function measure(name: string, run: (round: number) => number, floor?: () => void): void {
  const samples = Array.from({ length: ROUNDS }, (_, round) => measureCpuTime(() => run(round)));
  const sorted = samples.map(({ time }) => time).sort((a, b) => a - b);
  const median = sorted[ROUNDS >> 1] ?? Number.NaN;
  medians.set(name, median);
  const least = floor ? measureCpuTime(floor).time : null;
  rows.push([name, String(samples[0]?.found), ms(median), least === null ? '-' : ms(least)]);
}

const guests = Array.from({ length: ROUNDS }, () => prepare(rules));
const [guest] = guests as [PreparedGuest];
const count = (of: PreparedGuest, box: Box) => [...decompose(of, 'in', box)].length;
const buildFloor = (box: Box) => {
  const packets = [...decompose(guest, 'in', box)].map(({ packet }) => packet);
  return () => {
    for (const packet of packets) evaluate(guest, packet);
  };
};

measure('one service, first time', (round) => count(guests[round] as PreparedGuest, SERVICE));
measure('one service', () => count(guest, SERVICE), buildFloor(SERVICE));
measure(
  'TCP',
  () => count(guest, buildBox({ family: 4, protocols: [6] })),
  buildFloor(buildBox({ family: 4, protocols: [6] })),
);
measure('all packets', () => count(guest, buildBox({ family: 4 })), buildFloor(buildBox({ family: 4 })));

const changed = rules.map((rule, at) => (at === 3 ? { ...rule, action: 'DROP', dport: '443', proto: 'tcp' } : rule));
const [other, open] = [prepare(changed), prepare(rules, 'ACCEPT')];
const countRows = (after: PreparedGuest) => {
  const { gained, lost, unknown } = computeDifference(guest, after);
  return [gained, lost, unknown].reduce((sum, list) => sum + list.rows.length + list.left_out, 0);
};
measure('difference, one rule changed', () => countRows(other));
measure('difference, default policy changed', () => countRows(open));

printTable(['packets', 'parts or rows', 'median', 'floor (evaluate)'], rows);
expectBar('one service takes less than 50 ms', (medians.get('one service') ?? Number.NaN) < 50);
expectBar('all packets take less than 2 s', (medians.get('all packets') ?? Number.NaN) < 2_000);
expectBar('a changed rule takes less than 500 ms', (medians.get('difference, one rule changed') ?? Number.NaN) < 500);
