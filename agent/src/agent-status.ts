import type { CollectorState } from '@fabric/agent-contract';

/** What the running agent tells `doctor` and the installer, in a file of the runtime directory. */
export type AgentStatus = {
  started_at: string;
  server_url: string;
  /** Time of the last heartbeat the server acknowledged. */
  last_acknowledged_at: string | null;
  last_flows: number | null;
  last_problem: string | null;
  collectors: CollectorState[];
};

export function isAgentStatus(value: unknown): value is AgentStatus {
  return typeof value === 'object' && value !== null && 'started_at' in value && 'last_acknowledged_at' in value;
}
