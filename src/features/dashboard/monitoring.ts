import type { DashboardSecurity } from '@/domain/dashboard/dashboard';
import type { SecurityPosture } from '@/domain/dashboard/security-posture';
import { msg } from '@/lib/i18n/translator';

/**
 * How much of the traffic of a time range was seen: all of it, some, none since the agents became stale, none
 * because no agent reported, or no longer known. An empty list is good news in the first case only.
 */
export type Monitoring = 'full' | 'partial' | 'silent' | 'none' | 'unknown' | 'nothing_runs';

/** What determines whether something would have been seen. */
export type Monitored = Pick<DashboardSecurity, 'monitoring'> & { security_posture: Pick<SecurityPosture, 'agents'> };

export function evaluateMonitoring({ monitoring, security_posture }: Monitored): Monitoring {
  const { running, watched, partly, unknown } = monitoring;
  if (running === 0) return 'nothing_runs';
  if (watched === running) return 'full';
  if (watched + partly > 0) return 'partial';
  if (unknown > 0) return 'unknown';
  return security_posture.agents.silent > 0 ? 'silent' : 'none';
}

type EmptyText = { title: string; text: string };

const UNMONITORED: Record<Exclude<Monitoring, 'full' | 'partial'>, EmptyText> = {
  silent: { title: msg('Unknown'), text: msg('All agents are stale. Traffic since their last report is unknown.') },
  none: { title: msg('Not monitored'), text: msg('No agent reported from the nodes of running workloads.') },
  unknown: {
    title: msg('Unknown'),
    text: msg('Heartbeats are kept for one day. Whether agents reported before then is unknown.'),
  },
  nothing_runs: { title: msg('Not monitored'), text: msg('No running workloads.') },
};
const EXPIRED: EmptyText = {
  title: msg('Expired'),
  text: msg('Flows of this time range are past the retention period.'),
};
const NOTHING_SEEN = msg(
  '{watched, number} of {running, number} running workloads were monitored for the whole time range. Traffic of the others may be missing.',
);

/** What an empty list of suspicious traffic means. `good` only where everything was monitored and is still kept. */
export function describeEmptySuspicious(
  security: Pick<DashboardSecurity, 'since' | 'until' | 'suspicious_since'> & Monitored,
): EmptyText & { good: boolean } {
  const { since, until, suspicious_since } = security;
  const monitoring = evaluateMonitoring(security);
  if (suspicious_since >= until) return { ...EXPIRED, good: false };
  if (monitoring === 'partial') return { title: msg('No suspicious traffic seen'), text: NOTHING_SEEN, good: false };
  if (monitoring !== 'full') return { ...UNMONITORED[monitoring], good: false };
  return {
    title: msg('No suspicious traffic'),
    text: msg(
      'No inbound connection attempts from outside to SSH, SMB, RDP, VNC, databases or Redis were reported by agents in this time range.',
    ),
    good: Date.parse(suspicious_since) - Date.parse(since) <= CUT_MS,
  };
}

/** A minute of difference is the time it took to ask. */
export const CUT_MS = 60_000;

/** What no traffic at all means; null while that is not known. */
export function describeEmptyTraffic(security: Monitored | undefined): EmptyText | null {
  if (!security) return null;
  const monitoring = evaluateMonitoring(security);
  if (monitoring === 'partial') return { title: msg('No traffic seen'), text: NOTHING_SEEN };
  if (monitoring !== 'full') return UNMONITORED[monitoring];
  return { title: msg('No workload traffic'), text: msg('Agents reported no traffic in this time range.') };
}
