import { type Flow, type Heartbeat, heartbeatSchema } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { describe, expect, it } from 'vitest';
import { cidrContains, parseCidr } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import { getRunCount } from '@/test/thorough';
import { SITES } from '../inventory/company';
import type { PacketVerdict } from './clusters-view';
import { flatView } from './flat-view.fixture';
import { makeHeartbeat } from './heartbeat';
import { addTotals, type NodeTotals } from './interface-totals';
import { type NodeReport, nodeKey, nodeReports } from './node-reports';
import { buildSessions, countsBefore, PROFILES, slotAt, startOfSlot } from './sessions';

const SEED = 4;
const DAY = 5760;
const START = slotAt(Date.UTC(2026, 10, 18));
const PLACES = SITES.flatMap(({ name, nodes }) =>
  nodes.map((node) => ({ site: name, node, key: nodeKey(name, node) })),
);
const NOTHING: NodeReport = { flows: [], moved: {} };
const view = flatView();

const identity = (flow: Flow) =>
  [flow.source_ip, flow.destination_ip, flow.protocol, flow.source_port, flow.destination_port, flow.decision].join(
    ' ',
  );

function buildHeartbeat(
  place: (typeof PLACES)[number],
  slot: number,
  report: NodeReport,
  totals: NodeTotals,
): Heartbeat {
  return makeHeartbeat(view, {
    site: place.site,
    node: place.node,
    boot_id: '0b0f3c1e-6f57-4c5e-9d1a-0d2f2f3b4c5d',
    sequence: slot,
    observed_since: startOfSlot(slot),
    sent_at: startOfSlot(slot + 1),
    flows: report.flows,
    totals,
    moved: report.moved,
  });
}

describe('the traffic of the demo', () => {
  it('stays the same for the same seed, whatever was requested before', () => {
    const range = { from: START + 2_000, to: START + 2_030 };
    const once = nodeReports(SEED, range, view);
    nodeReports(SEED, { from: START, to: START + 60 }, view);
    expect([...nodeReports(SEED, range, view)]).toEqual([...once]);
    expect([...nodeReports(SEED + 1, range, view)]).not.toEqual([...once]);
  });

  it('makes heartbeats the contract accepts, each identity once, for thousands of slots', () => {
    const wrong: unknown[] = [];
    let heartbeats = 0;
    let flows = 0;
    const totals = new Map<string, NodeTotals>();
    for (let slot = START; slot < START + DAY; slot += getRunCount(43, 17)) {
      const reports = nodeReports(SEED, { from: slot, to: slot }, view);
      for (const place of PLACES) {
        const report = reports.get(place.key) ?? NOTHING;
        const sum = addTotals(totals.get(place.key) ?? {}, report.moved);
        totals.set(place.key, sum);
        const heartbeat = buildHeartbeat(place, slot, report, sum);
        const { error } = heartbeatSchema.safeParse(heartbeat);
        if (error) wrong.push([place.key, slot, error.issues[0]]);
        if (new Set(heartbeat.flows.map(identity)).size !== heartbeat.flows.length)
          wrong.push([place.key, slot, 'twice']);
        if (heartbeat.flows.length > AGENT_LIMITS.flows_per_heartbeat) wrong.push([place.key, slot, 'too many']);
        heartbeats += 1;
        flows += heartbeat.flows.length;
      }
    }
    expect(wrong).toEqual([]);
    expect(heartbeats).toBeGreaterThan(getRunCount(800, 2_000));
    expect(flows / heartbeats).toBeGreaterThan(15);
  });

  it('adds up: what slots report one by one is what they report together', () => {
    const range = { from: START + 3_000, to: START + 3_059 };
    const sums = (reports: Map<string, NodeReport>[]) => {
      const bytes: Record<string, number> = {};
      for (const report of reports) {
        for (const [key, { flows }] of report) {
          for (const flow of flows) bytes[key] = (bytes[key] ?? 0) + (flow.delta_bytes ?? 0);
        }
      }
      return bytes;
    };
    const single = Array.from({ length: 60 }, (_, i) =>
      nodeReports(SEED, { from: range.from + i, to: range.from + i }, view),
    );
    expect(sums(single)).toEqual(sums([nodeReports(SEED, range, view)]));
  });

  it('gives totals that never fall while a conversation continues, and grow by each delta', () => {
    const wrong: Flow[] = [];
    const last = new Map<string, Flow>();
    for (let slot = START + 1_000; slot < START + 1_150; slot += 1) {
      for (const [key, { flows }] of nodeReports(SEED, { from: slot, to: slot }, view)) {
        for (const flow of flows) {
          const id = `${key} ${identity(flow)} ${flow.first_seen_at}`;
          const { bytes, delta_bytes: news } = flow;
          if (bytes === null || news === undefined || news < 0) wrong.push(flow);
          else if (bytes !== (last.get(id)?.bytes ?? bytes - news) + news) wrong.push(flow);
          if (flow.observed_at < (flow.first_seen_at ?? '')) wrong.push(flow);
          last.set(id, flow);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(last.size).toBeGreaterThan(1_000);
  });

  it('counts on the interfaces of guests exactly what the flows carried', () => {
    const reports = nodeReports(SEED, { from: START + 2_500, to: START + 2_519 }, view);
    for (const place of PLACES) {
      const report = reports.get(place.key) ?? NOTHING;
      const { interfaces } = buildHeartbeat(place, START + 2_519, report, report.moved);
      const guests = interfaces.filter(({ kind }) => kind === 'tap' || kind === 'veth');
      const byDevice = (flow: Flow, side: 'source_ip' | 'destination_ip') =>
        view.cardsOf(place.site, place.node).find(({ vmid }) => {
          const guest = SITES.flatMap(({ guests: all }) => all).find((item) => item.vmid === vmid);
          return guest && (guest.address === flow[side] || guest.address6 === flow[side]);
        })?.device;
      const sums: Record<string, { rx: number; tx: number }> = {};
      for (const flow of report.flows) {
        const from = byDevice(flow, 'source_ip');
        const to = byDevice(flow, 'destination_ip');
        for (const [device, side] of [
          [from, 'rx'],
          [to, 'tx'],
        ] as const) {
          if (!device) continue;
          const sum = sums[device] ?? { rx: 0, tx: 0 };
          sum[side] += flow.delta_bytes ?? 0;
          sums[device] = sum;
        }
      }
      for (const { name, rx_bytes, tx_bytes } of guests) {
        expect([name, rx_bytes, tx_bytes]).toEqual([name, sums[name]?.rx ?? 0, sums[name]?.tx ?? 0]);
      }
    }
  });

  it('follows the day: customers in the evening, people in the office, backups and an intruder at night', () => {
    const at = (hour: number, name: string) => {
      const slot = START + hour * 240;
      return buildSessions(SEED, { from: slot, to: slot + 120 }).filter(({ profile }) => profile === name).length;
    };
    expect(at(19, 'customer')).toBeGreaterThan(2 * at(3, 'customer'));
    expect(at(9, 'browse')).toBeGreaterThan(5 * at(1, 'browse'));
    expect([at(1, 'backup') > 0, at(12, 'backup')]).toEqual([true, 0]);
    expect([at(2, 'exfiltration') > 0, at(12, 'exfiltration')]).toEqual([true, 0]);
    expect(at(1.3, 'lateral-scan')).toBeGreaterThan(100);
  });

  it('has as many conversations a day as a small database stores without effort', () => {
    const day = buildSessions(SEED, { from: START, to: START + DAY });
    expect(day.length).toBeGreaterThan(40_000);
    expect(day.length).toBeLessThan(80_000);
    for (const session of day.slice(0, 500)) {
      expect(countsBefore(session, 'down', session.start_slot)).toEqual({ bytes: 0, packets: 0 });
      const { bytes, packets } = countsBefore(session, 'down', session.start_slot + session.slots);
      expect(bytes).toBe(Math.max(session.bytes_down, packets * 60));
    }
  });

  it('names only external addresses that belong to no one', () => {
    const reserved = [
      '192.0.2.0/24',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '198.18.0.0/15',
      '2001:db8::/32',
      '10.0.0.0/8',
    ];
    const ranges = reserved.map((text) => parseCidr(text));
    const addresses = new Set(
      buildSessions(SEED, { from: START, to: START + DAY }).flatMap(({ client, server }) => [
        client.address,
        server.address,
      ]),
    );
    for (const text of addresses) {
      const ip = parseIp(text);
      expect(ip && ranges.some((range) => range && cidrContains(range, ip)), text).toBe(true);
    }
  });

  it('has profiles whose conversations end before the next one of the lane starts', () => {
    for (const { name, duration, period, lanes } of PROFILES) {
      expect([name, duration[0] <= duration[1], duration[1] <= period, lanes > 0]).toEqual([name, true, true, true]);
    }
  });
});

describe('a packet filter', () => {
  const range = { from: START + 1_000, to: START + 1_003 };
  const all = (verdict: (direction: 'in' | 'out', port: number | null) => PacketVerdict) =>
    [
      ...nodeReports(
        SEED,
        range,
        flatView(({ direction, destination_port }) => verdict(direction, destination_port)),
      ).values(),
    ].flatMap(({ flows }) => flows);

  it('leaves one direction of what it refuses, with the line it logged', () => {
    const flows = all((direction, port) =>
      direction === 'in' && port === 5432
        ? { verdict: 'drop', line: ` policy DROP: DPT=5432 ${'x'.repeat(300)}` }
        : { verdict: 'accept' },
    );
    const refused = flows.filter(({ destination_port }) => destination_port === 5432);
    expect(flows.some(({ source_port }) => source_port === 5432)).toBe(false);
    const logged = refused.filter(({ decision }) => decision === 'drop');
    expect(logged.length).toBeGreaterThan(0);
    for (const flow of logged) {
      expect(String(flow.raw?.excerpt)).toMatch(/^policy DROP: DPT=5432/);
      expect(String(flow.raw?.excerpt).length).toBeLessThanOrEqual(180);
    }
    // The client's own node saw it leave, unless the same agent read the line.
    expect(refused.filter(({ decision }) => decision === 'observed').every(({ state }) => state === 'SYN_SENT')).toBe(
      true,
    );
  });

  it('produces no evidence where it logs nothing', () => {
    const silent = all((direction, port) =>
      direction === 'in' && port === 443 ? { verdict: 'drop' } : { verdict: 'accept' },
    );
    const toWeb = silent.filter(({ destination_port }) => destination_port === 443);
    expect(toWeb.every(({ decision }) => decision === 'observed')).toBe(true);
    // Customers come from outside: only the filter saw their packets.
    expect(toWeb.some(({ destination_ip }) => destination_ip.startsWith('10.40.10.'))).toBe(false);
  });
});
