const id = encodeURIComponent;

/** The page of the console on which a matter can be looked into, from its first slash. */
export function objectPage({
  condition,
  object_kind,
  object_id,
}: {
  condition?: string;
  object_kind: string;
  object_id: string | null;
}): string {
  if (condition === 'policy_drifted' && object_id !== null)
    return `/drift?status=open&policy_id=${id(object_id)}&drift=newest`;
  if (object_id === null && object_kind !== 'coverage') return '/';
  switch (object_kind) {
    case 'cluster':
      return `/clusters/${id(object_id ?? '')}`;
    case 'node':
      return `/nodes/${id(object_id ?? '')}`;
    case 'agent':
      return `/agents/${id(object_id ?? '')}`;
    case 'policy':
      return `/policies/${id(object_id ?? '')}`;
    case 'change':
      return `/changes/${id(object_id ?? '')}`;
    case 'workload':
      return `/workloads/${id(object_id ?? '')}?tab=traffic`;
    case 'coverage':
      return '/workloads';
    case 'ipam_conflict':
      return '/addresses?tab=conflicts';
    default:
      return '/';
  }
}
