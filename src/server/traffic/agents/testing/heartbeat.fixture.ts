import { randomUUID } from 'node:crypto';
import type { Flow, Heartbeat } from '@fabric/agent-contract';

export const MACHINE_ID = '0123456789abcdef0123456789abcdef';

/** A good flow of just now. */
export function makeFlow(values: Partial<Flow> = {}): Flow {
  return {
    source_ip: '192.0.2.10',
    destination_ip: '198.51.100.20',
    protocol: 'tcp',
    source_port: 40_000,
    destination_port: 443,
    decision: 'observed',
    state: 'ESTABLISHED',
    bytes: 1000,
    packets: 10,
    observed_at: new Date().toISOString(),
    collector: 'ebpf',
    ...values,
  };
}

/** `count` flows that differ in their ports; `from` shifts them. */
export const makeFlows = (count: number, from = 0): Flow[] =>
  Array.from({ length: count }, (_, i) => makeFlow({ source_port: 1024 + ((from + i) % 60_000), bytes: 100 + i }));

/** A heartbeat with these flows (of any shape, so that wrong ones can be sent), each the first of an agent's life. */
export function makeHeartbeat(
  flows: unknown[] = [],
  values: Partial<Omit<Heartbeat, 'flows'>> = {},
): Omit<Heartbeat, 'flows'> & { flows: unknown[] } {
  return {
    protocol_version: 1,
    agent_version: '0.2.0',
    machine_id: MACHINE_ID,
    boot_id: randomUUID(),
    sequence: 0,
    sent_at: new Date().toISOString(),
    interval_seconds: 30,
    interfaces: [],
    interface_traffic: [],
    flow_diagnostics: null,
    firewall_status: null,
    nftables_ruleset_hash: null,
    flows,
    ...values,
  };
}
