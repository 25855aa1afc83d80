import type { HeartbeatEnvelope } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { HOUR_MS } from '@/domain/impact/node-evidence';
import type { Span } from '@/domain/impact/time-spans';
import type { LossCounters } from '../../db/schema/clusters';
import type { ClockWindow } from '../flows/clock-window';
import type { FlowValidation } from '../flows/validate-flows';
import type { AgentHourRow } from '../queries/agent-hours';
import type { AgentState } from '../queries/agents';

/** A heartbeat that claims more has a wrong clock. */
const LONGEST_MS = 2 * AGENT_LIMITS.interval_seconds.maximum * 1000;
/** A heartbeat that follows another reaches this far into it: their times, on clocks that are corrected, join to one span. */
const JOINED_MS = 1_000;
/** Packets that a capture saw and could not count for any flow. */
const LOST_PACKETS = ['table_full_packets', 'kernel_drops', 'overflow_packets'];
/** Lines that were not read or not kept; a lost file counts as one. */
const LOST_LINES = ['lost_records', 'over_limit_lines', 'over_limit_flows', 'lost_files'];
/** No node counts more in one interval; totals of an hour stay within a bigint. */
const MOST = 10 ** 12;
const CAPTURES = ['ebpf', 'ring'];

/** What happened to the flows of a heartbeat. */
type Stored = Pick<FlowValidation, 'flows'> & { rejected: number };

type Received = {
  times: ClockWindow;
  /** Whether the agent stored it while the service was unreachable. */
  backlog: boolean;
  /** Whether an earlier heartbeat of this start of the agent is stored. */
  isKnownBoot: boolean;
  stored: Stored;
};

const listCollectors = (heartbeat: HeartbeatEnvelope) => heartbeat.flow_diagnostics?.collectors ?? [];

/** What the agent has counted since it started; null when it reports no collectors. */
export function lossCounters(heartbeat: HeartbeatEnvelope): LossCounters | null {
  const collectors = listCollectors(heartbeat);
  if (collectors.length === 0) return null;
  const sum = (of: readonly string[], names: readonly string[]) =>
    collectors
      .filter(({ name }) => of.includes(name))
      .reduce((total, { counts }) => total + names.reduce((n, name) => n + (counts?.[name] ?? 0), 0), 0);
  const logs = ['kernel_log', 'firewall_log'];
  return {
    packets_lost: sum(['packet_capture'], LOST_PACKETS),
    log_lines: sum(logs, ['packets']),
    log_lines_lost: sum(logs, LOST_LINES),
  };
}

/**
 * What was counted since the newest heartbeat before. Of a heartbeat from the spool it is nothing: the next one that is sent in time has
 * it. Of an agent that was not counted yet its start is not known, so it is nothing as well. It is nothing, too, when another agent of the node
 * has reported since the one before: only its counters are stored.
 */
function computeLossDelta(
  agent: AgentState,
  heartbeat: HeartbeatEnvelope,
  { backlog, isKnownBoot }: Pick<Received, 'backlog' | 'isKnownBoot'>,
): LossCounters {
  const nothing = { packets_lost: 0, log_lines: 0, log_lines_lost: 0 };
  const now = lossCounters(heartbeat);
  if (backlog || now === null) return nothing;
  const isNewest = heartbeat.boot_id === agent.last_boot_id;
  const isRunning = isKnownBoot || (agent.last_boot_id === null && heartbeat.sequence > 0);
  const before = isNewest ? (agent.loss_counters ?? now) : isRunning ? now : nothing;
  const since = (name: keyof LossCounters) => Math.max(0, now[name] - before[name]);
  return {
    packets_lost: since('packets_lost'),
    log_lines: since('log_lines'),
    log_lines_lost: since('log_lines_lost'),
  };
}

/**
 * The time that a heartbeat covers: as it states, else from the one before it, else one interval. Its length is measured by the agent's
 * clock, because the correction of a wrong clock varies.
 */
function coveredSpan(agent: AgentState, heartbeat: HeartbeatEnvelope, times: ClockWindow, backlog: boolean): Span {
  const { boot_id, sequence, observed_since, interval_seconds } = heartbeat;
  const until = times.read(heartbeat.sent_at) ?? times.now;
  const isNext = !backlog && boot_id === agent.last_boot_id && sequence === (agent.last_sequence ?? -1) + 1;
  const usual = sequence === 0 ? Math.min(interval_seconds, AGENT_LIMITS.first_heartbeat_seconds) : interval_seconds;
  const stated = observed_since ?? (isNext ? agent.last_sent_at : null);
  const length = stated === null ? Number.NaN : Date.parse(heartbeat.sent_at) - Date.parse(stated);
  const covered = (length >= 0 ? length : usual * 1000) + (isNext ? JOINED_MS : 0);
  return { since: until - Math.min(covered, LONGEST_MS), until };
}

/** Which ways of observing conversations worked. Without diagnostics the flows show it. */
function workingCollectors(heartbeat: HeartbeatEnvelope, { flows }: Stored): { captured: boolean; tracked: boolean } {
  const collectors = listCollectors(heartbeat);
  const works = (name: string) => {
    return collectors.some((one) => one.name === name && (one.state === 'active' || one.state === 'degraded'));
  };
  if (heartbeat.flow_diagnostics) return { captured: works('packet_capture'), tracked: works('conntrack') };
  return {
    captured: flows.some(({ record }) => CAPTURES.includes(record.collector)),
    tracked: flows.some(({ record }) => record.collector === 'conntrack'),
  };
}

/**
 * What a heartbeat adds to the hours of its node. Its counts belong to the hour in which it ends, its time to every hour that it covers.
 * @param agent as it was before this heartbeat
 */
export function coveredHours(
  agent: AgentState,
  heartbeat: HeartbeatEnvelope,
  { times, backlog, isKnownBoot, stored }: Received,
): Omit<AgentHourRow, 'node_id'>[] {
  const span = coveredSpan(agent, heartbeat, times, backlog);
  const { captured, tracked } = workingCollectors(heartbeat, stored);
  const seen = heartbeat.flow_diagnostics?.seen;
  const counted = {
    heartbeats: 1,
    flows_seen: Math.max(seen?.flows ?? 0, heartbeat.flows.length),
    flows_left_out: heartbeat.flow_diagnostics?.left_out.flows ?? 0,
    flows_rejected: stored.rejected,
    packets_seen: seen?.packets ?? 0,
    ...computeLossDelta(agent, heartbeat, { backlog, isKnownBoot }),
  };
  const counts = Object.fromEntries(
    Object.entries(counted).map(([name, count]) => [name, Math.min(count, MOST)]),
  ) as typeof counted;
  const none = Object.fromEntries(Object.keys(counts).map((name) => [name, 0])) as typeof counts;
  const startOfHour = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS;
  const last = startOfHour(Math.max(span.until - 1, span.since));
  const rows: Omit<AgentHourRow, 'node_id'>[] = [];
  for (let hour = startOfHour(span.since); hour <= last; hour += HOUR_MS) {
    const part = { since: Math.max(span.since, hour), until: Math.min(span.until, hour + HOUR_MS) };
    const parts = part.since < part.until ? [part] : [];
    rows.push({
      hour_at: new Date(hour).toISOString(),
      interval_seconds: heartbeat.interval_seconds,
      reported: parts,
      captured: captured ? parts : [],
      tracked: tracked ? parts : [],
      ...(hour === last ? counts : none),
    });
  }
  return rows;
}
