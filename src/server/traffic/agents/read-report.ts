import { firewallStatusSchema, flowDiagnosticsSchema } from '@fabric/agent-contract';
import { z } from 'zod';
import type { AgentDetail, AgentReport } from '@/domain/agent';

const Count = z.int().nonnegative();

/** Reads the stored copy of a heartbeat part by part: one part of a strange form does not hide the others. */
export function readReport({
  payload,
  firewall_status,
}: Pick<AgentDetail, 'payload' | 'firewall_status'>): AgentReport {
  const count = (value: unknown) => Count.safeParse(value).data ?? null;
  return {
    diagnostics: flowDiagnosticsSchema.safeParse(payload?.flow_diagnostics).data ?? null,
    firewall: firewallStatusSchema.safeParse(firewall_status).data ?? null,
    flow_count: count(payload?.flow_count),
    interface_count: count(payload?.interface_count),
  };
}
