import type { HeartbeatEnvelope } from '@fabric/agent-contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, nodeEvidence } from '@/domain/impact/node-evidence';
import { normalize, type Span, sumDurations } from '@/domain/impact/time-spans';
import { clockWindow } from '../flows/clock-window';
import type { AgentState } from '../queries/agents';
import { coveredHours, lossCounters } from './covered-hours';
import { makeHeartbeat } from './testing/heartbeat.fixture';
import { makeDiagnostics } from './testing/reporting-agent.fixture';

const START = Date.UTC(2026, 10, 24, 6);
const BOOT = '0190f3c4-5d6e-7f80-8a9b-0c1d2e3f4a5b';
const iso = (time: number) => new Date(time).toISOString();

const fresh: AgentState = {
  status: 'ok',
  machine_id: null,
  last_boot_id: null,
  last_sequence: null,
  last_sent_at: null,
  last_heartbeat_at: null,
  interval_seconds: null,
  clock_offset_ms: null,
  nftables_ruleset_hash: null,
  enforcement_hash: null,
  loss_counters: null,
};

type Beat = { sequence: number; since: number; until: number };

/** What the service knows after heartbeats arrived in this order, the agent's clock being ahead. */
function store(beats: readonly Beat[], { stated, ahead = 0 }: { stated: boolean; ahead?: number }) {
  let agent = fresh;
  const rows = beats.flatMap(({ sequence, since, until }) => {
    const sent_at = iso(until + ahead);
    const heartbeat = makeHeartbeat([], {
      boot_id: BOOT,
      sequence,
      sent_at,
      ...(stated && { observed_since: iso(since + ahead) }),
      flow_diagnostics: makeDiagnostics(),
    }) as HeartbeatEnvelope;
    const backlog = sequence <= (agent.last_sequence ?? -1);
    // Some time passes on the way.
    const arrived = new Date(until + 20 + ((sequence * 37) % 90));
    const times = clockWindow(arrived, sent_at, backlog ? ahead : null);
    const hours = coveredHours(agent, heartbeat, {
      ...{ times, backlog, isKnownBoot: false },
      stored: { flows: [], rejected: 0 },
    });
    if (!backlog) agent = { ...agent, last_boot_id: BOOT, last_sequence: sequence, last_sent_at: sent_at };
    return hours;
  });
  const hours = [...new Set(rows.map(({ hour_at }) => hour_at))].map((hour_at) => {
    const of = rows.filter((row) => row.hour_at === hour_at);
    const spans = (kind: 'reported' | 'captured' | 'tracked') => normalize(of.flatMap((row) => row[kind]));
    return {
      interval_seconds: 30,
      reported: spans('reported'),
      captured: spans('captured'),
      tracked: spans('tracked'),
    };
  });
  return { evidence: nodeEvidence(null, hours, []), rows };
}

/** Two hours of an agent that varies its interval of 30 s by a tenth, as agents do. */
function twoHours(jitter: readonly number[]): Beat[] {
  const beats: Beat[] = [];
  for (let since = START; since < START + 2 * HOUR_MS; ) {
    const until = since + 27_000 + (jitter[beats.length % jitter.length] ?? 0);
    beats.push({ sequence: beats.length, since, until });
    since = until;
  }
  return beats;
}

const anyJitter = fc.array(fc.nat(6_000), { minLength: 40, maxLength: 40 });
const covered = (beats: readonly Beat[]) => sumDurations(normalize(beats));

describe('coveredHours', () => {
  it('covers exactly the time of the heartbeats that arrived, in any order and with any clock', () => {
    const anyLost = fc.array(fc.boolean(), { minLength: 17, maxLength: 17 });
    fc.assert(
      fc.property(anyJitter, anyLost, fc.constantFrom(0, 8_000, -8_000, 3_600_000), (jitter, lost, ahead) => {
        const beats = twoHours(jitter).filter((beat) => !lost[beat.sequence % lost.length]);
        const late = [...beats.slice(0, 60), ...beats.slice(100), ...beats.slice(60, 100).reverse()];
        for (const arrived of [beats, late]) {
          const { evidence } = store(arrived, { stated: true, ahead });
          // The way of a heartbeat takes up to 0.11 s, which is measured as an offset.
          expect(Math.abs(sumDurations(evidence.covered) - covered(beats))).toBeLessThan(0.002 * 2 * HOUR_MS);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('keeps one span in each hour of an agent that misses no heartbeat, whatever its clock', () => {
    fc.assert(
      fc.property(anyJitter, fc.boolean(), fc.constantFrom(0, 8_000, -8_000, 3_600_000), (jitter, stated, ahead) => {
        const { rows } = store(twoHours(jitter), { stated, ahead });
        const hours = new Set(rows.map(({ hour_at }) => hour_at));
        expect(normalize(rows.flatMap(({ reported }) => reported)).length).toBeLessThanOrEqual(hours.size);
      }),
      { numRuns: 40 },
    );
  });

  it('deviates by at most a tenth of an interval per gap where an agent does not state the time', () => {
    fc.assert(
      fc.property(anyJitter, fc.integer({ min: 3, max: 20 }), fc.boolean(), (jitter, everyNth, spooled) => {
        const all = twoHours(jitter);
        const beats = all.filter(({ sequence }) => sequence % everyNth !== 1);
        const order = spooled ? [...beats.slice(0, 1), ...beats.slice(-1), ...beats.slice(1, -1).reverse()] : beats;
        const { evidence } = store(order, { stated: false });
        const error = Math.abs(sumDurations(evidence.covered) - covered(beats));
        // The first heartbeat of an agent is expected after 15 s.
        expect(error).toBeLessThanOrEqual((all.length - beats.length + 1) * 3_000 + 15_000);
      }),
      { numRuns: 40 },
    );
  });

  it('splits the time at hours, and counts a heartbeat in the hour in which it ends', () => {
    const { rows } = store([{ sequence: 0, since: START + HOUR_MS - 10_000, until: START + HOUR_MS + 5_000 }], {
      stated: true,
    });
    const span = (since: number, until: number): Span => ({ since: START + since, until: START + until });
    expect(rows).toMatchObject([
      { hour_at: iso(START), heartbeats: 0, flows_seen: 0, reported: [span(HOUR_MS - 10_000, HOUR_MS)] },
      { hour_at: iso(START + HOUR_MS), heartbeats: 1, flows_seen: 100, reported: [span(HOUR_MS, HOUR_MS + 5_000)] },
    ]);
  });

  it('believes no heartbeat that covers more than two of the longest intervals', () => {
    const { rows } = store([{ sequence: 0, since: START - 1000 * HOUR_MS, until: START + 1000 }], { stated: true });
    expect(rows).toHaveLength(3);
  });

  it('counts what was lost since the previous heartbeat, from zero after a restart, and nothing at the first sight of a running agent', () => {
    const heartbeat = (table_full_packets: number) =>
      makeHeartbeat([], {
        boot_id: BOOT,
        sequence: 5,
        flow_diagnostics: makeDiagnostics({ table_full_packets, log_lines: 50, over_limit_lines: 7 }),
      }) as HeartbeatEnvelope;
    const lost = (agent: Partial<AgentState>, { backlog = false, isKnownBoot = false } = {}) => {
      const times = clockWindow(new Date(), iso(Date.now()));
      const stored = { flows: [], rejected: 0 };
      const rows = coveredHours({ ...fresh, ...agent }, heartbeat(90), { times, backlog, isKnownBoot, stored });
      return rows.at(-1);
    };
    const before = lossCounters(heartbeat(60));
    expect(before).toEqual({ packets_lost: 60, log_lines: 50, log_lines_lost: 7 });
    expect(lost({ last_boot_id: BOOT, loss_counters: before })).toMatchObject({ packets_lost: 30, log_lines_lost: 0 });
    expect(lost({ last_boot_id: 'another', loss_counters: before })).toMatchObject({ packets_lost: 90, log_lines: 50 });
    expect(lost({ last_boot_id: BOOT })).toMatchObject({ packets_lost: 0, log_lines_lost: 0 });
    expect(lost({ last_boot_id: BOOT, loss_counters: before }, { backlog: true })).toMatchObject({ packets_lost: 0 });
    // Another agent of the node has reported since the one before of this agent.
    const other = { last_boot_id: 'another', loss_counters: before };
    expect(lost(other, { isKnownBoot: true })).toMatchObject({ packets_lost: 0, log_lines: 0, log_lines_lost: 0 });
    // A running agent that was enrolled again.
    expect(lost({ loss_counters: before })).toMatchObject({ packets_lost: 0, log_lines: 0, log_lines_lost: 0 });
  });
});
