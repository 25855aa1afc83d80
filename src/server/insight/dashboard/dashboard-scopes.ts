import { authorizeIfGranted, type Scope, type Session } from '../../auth/scope';

/** What a reader of the dashboard may see of each part; null: nothing. */
export type DashboardScopes = {
  readonly flow: Scope<'flow:read'>;
  readonly workload: Scope<'workload:read'> | null;
  readonly policy: Scope<'policy:read'> | null;
  readonly ipam: Scope<'ipam:read'> | null;
  readonly cluster: Scope<'cluster:read'> | null;
  readonly agent: Scope<'agent:read'> | null;
};

/** The dashboard is for those who may read flows; the rest of it depends on what else they may. */
export function dashboardScopes(session: Session | null, flow: Scope<'flow:read'>): DashboardScopes {
  return {
    flow,
    workload: authorizeIfGranted(session, 'workload:read'),
    policy: authorizeIfGranted(session, 'policy:read'),
    ipam: authorizeIfGranted(session, 'ipam:read'),
    cluster: authorizeIfGranted(session, 'cluster:read'),
    agent: authorizeIfGranted(session, 'agent:read'),
  };
}
