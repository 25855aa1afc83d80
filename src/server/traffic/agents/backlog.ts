import type { HeartbeatEnvelope } from '@fabric/agent-contract';
import type { AgentState } from '../queries/agents';

type Newest = Pick<
  AgentState,
  'last_boot_id' | 'last_sequence' | 'last_sent_at' | 'last_heartbeat_at' | 'interval_seconds'
>;

/** After this many intervals without a heartbeat the next one is fresh: agents send what they kept only after that. */
const SILENT_INTERVALS = 3;

/**
 * Whether the agent stored a heartbeat while the service was unreachable: it was sent before the newest one. Its flows
 * count, but not its state or clock, which are no longer current. A clock that was set back also makes a heartbeat
 * look old; within one boot the sequence decides.
 */
export function isBacklog(
  newest: Newest | null,
  heartbeat: Pick<HeartbeatEnvelope, 'boot_id' | 'sequence' | 'sent_at'>,
  now: Date,
): boolean {
  if (!newest?.last_sent_at || !newest.last_heartbeat_at) return false;
  if (heartbeat.boot_id === newest.last_boot_id) return heartbeat.sequence <= (newest.last_sequence ?? -1);
  const silence = now.getTime() - Date.parse(newest.last_heartbeat_at);
  if (silence > SILENT_INTERVALS * 1000 * (newest.interval_seconds ?? 0)) return false;
  return Date.parse(heartbeat.sent_at) < Date.parse(newest.last_sent_at);
}

/** An agent's own time in a form that can be stored; `fallback` for one that no calendar has. */
export function storableTime(text: string, fallback: string): string {
  const time = Date.parse(text);
  return time >= 0 && time < 253_402_300_800_000 ? new Date(time).toISOString() : fallback;
}
