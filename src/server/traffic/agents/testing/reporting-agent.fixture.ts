import type { Flow, FlowDiagnostics, Heartbeat } from '@fabric/agent-contract';
import { expect } from 'vitest';
import { clock } from '@/server/lib/clock';
import { makeAgent } from '@/test/factories';
import { call } from '@/test/request';
import { makeHeartbeat } from './heartbeat.fixture';

type Values = Partial<Omit<Heartbeat, 'flows'>>;
type Observed = {
  flows?: number;
  left_out?: number;
  packets?: number;
  /** Counted since the agent started. */
  table_full_packets?: number;
  log_lines?: number;
  over_limit_lines?: number;
  capture?: string;
  conntrack?: string;
};

/** What an agent reports about its collectors: without loss unless stated. */
export function makeDiagnostics(observed: Observed = {}): FlowDiagnostics {
  const { flows = 100, left_out = 0, packets = 1000, table_full_packets = 0 } = observed;
  const { log_lines = 0, over_limit_lines = 0, capture = 'active', conntrack = 'active' } = observed;
  return {
    conntrack_path: null,
    bridge_nf_call_iptables: null,
    bridge_nf_call_ip6tables: null,
    nf_conntrack_acct: null,
    nf_conntrack_count: null,
    nf_conntrack_max: null,
    capabilities: [],
    collectors: [
      { name: 'packet_capture', state: capture, counts: { table_full_packets } },
      { name: 'conntrack', state: conntrack },
      { name: 'firewall_log', state: 'active', counts: { packets: log_lines, over_limit_lines } },
    ],
    seen: { flows, bytes: 0, packets },
    left_out: { flows: left_out, bytes: 0, packets: 0 },
  };
}

/** An agent that sends heartbeats one after the other; the clock of the service says when. */
export class ReportingAgent {
  private boot_id = crypto.randomUUID();
  private sequence = 0;
  private since = clock.now().getTime();

  private constructor(private readonly headers: { authorization: string }) {}

  static async enroll(node: { id: string }): Promise<ReportingAgent> {
    return new ReportingAgent(await makeAgent(node));
  }

  /** The heartbeat about the time since the one before. */
  make(observed: Observed = {}, values: Values = {}, flows: Flow[] = []) {
    const now = clock.now();
    const heartbeat = makeHeartbeat(flows, {
      boot_id: this.boot_id,
      sequence: this.sequence,
      sent_at: now.toISOString(),
      observed_since: new Date(this.since).toISOString(),
      flow_diagnostics: makeDiagnostics(observed),
      ...values,
    });
    this.sequence += 1;
    this.since = now.getTime();
    return heartbeat;
  }

  async send(heartbeat: ReturnType<ReportingAgent['make']>) {
    const response = await call('/agents/heartbeat', { method: 'POST', body: heartbeat, headers: this.headers });
    expect(response.status, await response.clone().text()).toBe(200);
    return (await response.json()) as { duplicate?: boolean };
  }

  async report(observed: Observed = {}, values: Values = {}) {
    return this.send(this.make(observed, values));
  }

  /** Starts again: everything since the last heartbeat is lost. */
  restart(): void {
    this.boot_id = crypto.randomUUID();
    this.sequence = 0;
    this.since = clock.now().getTime();
  }
}
