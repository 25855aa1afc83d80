import { PERMISSION_REACH, type Permission } from '../permissions';

/** What rules can report, in the order in which it is shown. */
export const CONDITIONS = [
  'sync_failed',
  'agent_silent',
  'agent_reports_refused',
  'agent_token_replaced',
  'policy_drifted',
  'policy_expiring',
  'recertification_due',
  'policy_test_failing',
  'change_in_review',
  'change_break_glass',
  'change_rollback_incomplete',
  'residual_rules',
  'node_firewall_not_compiling',
  'suspicious_traffic_critical',
  'traffic_escaped',
  'address_conflict',
  'workload_traffic_high',
  'cluster_traffic_high',
  'drops_high',
  'new_external_service',
  'coverage_low',
] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Permission that a user needs to be notified. */
export const CONDITION_PERMISSION = {
  sync_failed: 'cluster:read',
  agent_silent: 'agent:read',
  agent_reports_refused: 'agent:read',
  agent_token_replaced: 'agent:read',
  policy_drifted: 'policy:read',
  policy_expiring: 'policy:read',
  recertification_due: 'policy:read',
  policy_test_failing: 'policy_test:read',
  change_in_review: 'change:approve',
  change_break_glass: 'policy:read',
  change_rollback_incomplete: 'policy:read',
  residual_rules: 'workload:read',
  node_firewall_not_compiling: 'cluster:read',
  suspicious_traffic_critical: 'flow:read',
  traffic_escaped: 'flow:read',
  address_conflict: 'ipam:read',
  workload_traffic_high: 'flow:read',
  cluster_traffic_high: 'cluster:read',
  drops_high: 'flow:read',
  new_external_service: 'flow:read',
  coverage_low: 'workload:read',
} as const satisfies Record<Condition, Permission>;

/** Clusters and nodes belong to the installation: what happens to them is no matter of one tenant. */
export const isTenantCondition = (condition: Condition): boolean =>
  PERMISSION_REACH[CONDITION_PERMISSION[condition]] !== 'platform';

/** A condition that holds now for one object, as users who can see the object may read it. */
export type Fact = {
  condition: Condition;
  /** The same for the same matter whenever it is looked at. */
  key: string;
  object_kind:
    | 'cluster'
    | 'node'
    | 'agent'
    | 'policy'
    | 'policy_test'
    | 'change'
    | 'workload'
    | 'address'
    | 'ipam_conflict'
    | 'coverage';
  object_id: string | null;
  object_name: string;
  /** One or two sentences; changes only when the matter changes. */
  detail: string;
  /** What a rule compares with its threshold; only rules whose threshold is exceeded report it. */
  measure?: number;
};
