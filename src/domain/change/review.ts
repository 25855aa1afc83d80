/** How a workload is filtered before and after a change, as short hashes. */
export type CompiledWorkload = { readonly workload_id: string; readonly before: string; readonly after: string };

/** What a change compiled to: whether it changes rules on a hypervisor, and what it changes at each workload. */
export type CompiledNote = { readonly enforcing: boolean; readonly workloads: readonly CompiledWorkload[] };

/**
 * How what a change does to a workload differs from what was reviewed: it is changed in addition, no longer changed, filtered otherwise
 * now, or filtered otherwise after the change.
 */
export const REVIEW_CHANGES = ['added', 'removed', 'before', 'after'] as const;

export type ReviewDifference = {
  readonly at: string;
  readonly workloads: readonly { readonly workload_id: string; readonly change: (typeof REVIEW_CHANGES)[number] }[];
};

/** What differs between what was reviewed and what compiles now, by workload. */
export function compareCompiled(reviewed: CompiledNote, now: CompiledNote): ReviewDifference['workloads'] {
  const old = new Map(reviewed.workloads.map((one) => [one.workload_id, one]));
  const fresh = new Set(now.workloads.map(({ workload_id }) => workload_id));
  const differing = now.workloads.flatMap(({ workload_id, before, after }): ReviewDifference['workloads'] => {
    const known = old.get(workload_id);
    if (!known) return [{ workload_id, change: 'added' }];
    if (known.before !== before) return [{ workload_id, change: 'before' }];
    return known.after === after ? [] : [{ workload_id, change: 'after' }];
  });
  const removed = reviewed.workloads.filter(({ workload_id }) => !fresh.has(workload_id));
  return [...differing, ...removed.map(({ workload_id }) => ({ workload_id, change: 'removed' as const }))];
}
