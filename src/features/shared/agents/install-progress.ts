import type { Agent } from '@/domain/agent';

type Known = Pick<Agent, 'status' | 'enrolled_at' | 'last_heartbeat_at'>;

/** How far an installation is: nothing has happened, the token was exchanged, or heartbeats arrive. */
export type InstallProgress = 'waiting' | 'enrolled' | 'reporting';

/**
 * Progress of an installation that was begun when the node's agent had been enrolled at `enrolledBefore` (null:
 * never). An agent that was there before keeps reporting; that is no information about the new one.
 */
export function installProgress(now: Known | undefined, enrolledBefore: string | null): InstallProgress {
  if (!now?.enrolled_at || now.enrolled_at === enrolledBefore) return 'waiting';
  const reported = now.last_heartbeat_at !== null && now.last_heartbeat_at >= now.enrolled_at;
  return reported && now.status !== 'pending' ? 'reporting' : 'enrolled';
}

/** Whether an address leads back to the host that uses it: on a node it would not lead to the service. */
export function isLoopbackAddress(baseUrl: string): boolean {
  try {
    const { hostname } = new URL(baseUrl);
    return (
      hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname)
    );
  } catch {
    return false;
  }
}
