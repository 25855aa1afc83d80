import {
  type FirewallStatus,
  type FlowDiagnostics,
  firewallStatusSchema,
  flowDiagnosticsSchema,
} from '@fabric/agent-contract';
import { z } from 'zod';
import type { AgentDetail, AgentHour } from '@/domain/agent';
import { HOUR_MS } from '@/domain/durations';

/** What the newest heartbeat says, as far as this version understands it. Null: the agent did not say, or in another form. */
export type Reported = {
  diagnostics: FlowDiagnostics | null;
  firewall: FirewallStatus | null;
  flow_count: number | null;
  interface_count: number | null;
};

const Count = z.int().nonnegative();

/** Reads the stored copy of a heartbeat part by part: one part of a strange form does not hide the others. */
export function readPayload({ payload, firewall_status }: Pick<AgentDetail, 'payload' | 'firewall_status'>): Reported {
  const count = (value: unknown) => Count.safeParse(value).data ?? null;
  return {
    diagnostics: flowDiagnosticsSchema.safeParse(payload?.flow_diagnostics).data ?? null,
    firewall: firewallStatusSchema.safeParse(firewall_status).data ?? null,
    flow_count: count(payload?.flow_count),
    interface_count: count(payload?.interface_count),
  };
}

const HOURS = 24;

/** The last day hour by hour, with zeros where nothing came: gaps are what one looks for. */
export function lastDay(hours: readonly AgentHour[], now: number) {
  const newest = Math.floor(now / HOUR_MS) * HOUR_MS;
  const starts = Array.from({ length: HOURS }, (_, i) => newest - (HOURS - 1 - i) * HOUR_MS);
  const known = new Map(hours.map((hour) => [Date.parse(hour.hour_at), hour]));
  return { starts, heartbeats: starts.map((start) => known.get(start)?.heartbeats ?? 0) };
}
