import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { CollectorState } from '@fabric/agent-contract';
import { type Config, paths } from './config';

/** What the running agent tells `doctor` and the installer, in a file of the runtime directory. */
export type AgentStatus = {
  started_at: string;
  /** Its process. Older agents do not write it. */
  pid?: number;
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

/** Process of the agent that runs with this configuration, null when none does: the status file may be of one that ended. */
export function findRunningAgent(config: Config): number | null {
  const pid = readStateFile(paths.status(config), isAgentStatus)?.pid;
  if (pid === undefined || pid === process.pid) return null;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('fabric-agent') ? pid : null;
  } catch {
    return null;
  }
}

/** Content of a small JSON file, null when it is missing or damaged: then one starts afresh. */
export function readStateFile<T>(path: string, accept: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return accept(value) ? value : null;
  } catch {
    return null;
  }
}

/** Replaces a small JSON file; readers see the old or the new content. @throws Error of the system */
export function writeStateFile(path: string, value: unknown, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.tmp`, `${JSON.stringify(value)}\n`, { mode });
  renameSync(`${path}.tmp`, path);
}
