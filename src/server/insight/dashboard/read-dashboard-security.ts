import type { DashboardSecurity } from '@/domain/dashboard/dashboard';
import type { DashboardInput } from '@/domain/dashboard/dashboard-input';
import { ratePosture } from '@/domain/dashboard/security-posture';
import { readBoard } from '../../enforcement/policies/board/read-board';
import { selectFlows } from '../flows/select-flows';
import { countRunningByNode, type RunningPlace } from '../queries/dashboard-places';
import { countEnforcement } from './count-enforcement';
import { countStandings } from './count-standings';
import type { DashboardScopes } from './dashboard-scopes';
import { narrowScopes } from './narrow-scopes';
import { readMonitoring } from './read-monitoring';
import { readSuspicious } from './read-suspicious';

/**
 * How secure the installation is, or what of it is within reach: the posture with its parts as of now, suspicious traffic
 * of the range, and where policies stand. As many queries for much as for little; no cluster is asked.
 * @throws AppError `malformed` when the range ends before it begins, `not_found` for a tenant out of reach
 */
export async function readDashboardSecurity(
  scopes: DashboardScopes,
  input: DashboardInput,
): Promise<DashboardSecurity> {
  const { flow, policy, workload } = await narrowScopes(scopes, input.tenant_id);
  const { since: from, until: to } = input;
  const [{ selection, since, until, now }, board, running] = await Promise.all([
    selectFlows(flow, { since: from, until: to }),
    readBoard(),
    countRunningByNode(flow.reach),
  ]);
  const reach = { policies: policy?.reach ?? [], rules: workload?.reach ?? null };
  const suspicious = await readSuspicious(selection, board, reach, input.suspicious_limit);
  const policies = policy && countStandings(board, policy.reach);
  const agents = { watched: 0, silent: 0, unwatched: 0 };
  const reports = ({ status }: RunningPlace) => status === 'ok' || status === 'degraded';
  for (const place of running) {
    agents[reports(place) ? 'watched' : place.status === 'silent' ? 'silent' : 'unwatched'] += place.workloads;
  }
  const places = running.map((place) => ({ ...place, reports: reports(place) }));
  const { active = 0, stale = 0, partial = 0, unresolved = 0 } = policies ?? {};
  return {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    tenant_id: input.tenant_id ?? null,
    security_posture: ratePosture({
      enforcement: countEnforcement(board, flow.reach),
      policies: policies && { active, stale, partial, unresolved },
      suspicious: suspicious.summary,
      agents,
    }),
    monitoring: await readMonitoring(places, { since, until }, now),
    suspicious_traffic: suspicious.entries,
    suspicious_summary: suspicious.summary,
    suspicious_since: new Date(Math.max(since, Date.parse(selection.cutoff))).toISOString(),
    policies,
  };
}
