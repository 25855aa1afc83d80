// Without schemas, so that pages which only name kinds do not load them.

/** How the live state of a policy at a workload differs from what was last applied. */
export const DRIFT_KINDS = [
  'edited',
  'deleted',
  'disabled',
  'reordered',
  'duplicated',
  'leftover',
  'shadowed',
  'set_changed',
  'switch_changed',
  'default_changed',
  'marker_forged',
  'workload_moved',
] as const;
/** One of them. */
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** Kinds that a policy can express. The others are mistakes or belong to the cluster: they are repaired or accepted. */
export const ADOPTABLE_KINDS: readonly DriftKind[] = ['edited', 'deleted', 'disabled', 'reordered', 'default_changed'];

/** Accepted until a date, or gone; rows that are resolved stay for the record. */
export const DRIFT_STATUSES = ['open', 'accepted', 'resolved'] as const;

/** What a list of drift can be sorted by. */
export const DRIFT_SORTS = ['first_seen_at', 'policy_name', 'workload_name', 'kind'] as const;
