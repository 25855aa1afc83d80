/** A policy that a change deploys, as it was when the change was applied. */
export type RolloutPolicy = {
  readonly policy_id: string;
  readonly name: string;
  readonly tenant_id: string | null;
  readonly project_id: string | null;
  readonly kind: 'apply' | 'cleanup';
  /** Workloads that it concerns, whether or not it changes anything there. */
  readonly workload_ids: readonly string[];
  /** The version of which rules were live; null: none were, and a rollback leaves the policy disabled. */
  readonly live_version: number | null;
  /** By workload, the fingerprint of the preview of which nothing else is written; absent: whatever the change requires is written. */
  readonly fingerprints?: Readonly<Record<string, string>>;
};

type StoredTestResult = { readonly id: string; readonly result: string };

/** How far the roll-out of a change is. */
export type StoredRollout = {
  readonly requested_by: string | null;
  /** In the order in which they are deployed. */
  readonly policies: readonly RolloutPolicy[];
  /** Policy tests that were known to fail and overridden; absent: none were. */
  readonly overridden_tests?: readonly string[];
  /** The wave that is written, from 1; 0: none yet. */
  readonly wave: number;
  /** The wave has ended and the next one waits, until `resume_at` or until someone continues. */
  readonly paused: boolean;
  readonly resume_at: string | null;
  /** Workloads that may have failed in this wave: someone continued, or the change continues by itself. */
  readonly tolerated_ids?: readonly string[];
  /** How often the rollback, or the removal of log levels, was tried, and when it is tried again; null: it is being tried. */
  readonly tries: number;
  readonly retry_at: string | null;
  /** Results of policy tests at the workloads, when the change was applied and when it ended. */
  readonly tests_before: readonly StoredTestResult[];
  readonly tests_after: readonly StoredTestResult[] | null;
};

/** An apply that waits for the time for which the change is scheduled. */
export type StoredApplyRequest = {
  readonly at: string;
  readonly by: { readonly id: string; readonly name: string };
  readonly impact_id: string | null;
  readonly newly_blocked: number | null;
  readonly override_tests: string | null;
  readonly overridden_tests?: readonly string[];
  /** Versions of these tests, by ID; absent: an earlier release did not keep them. */
  readonly overridden_versions?: Readonly<Record<string, number>>;
  /** Of the difference that was shown; absent: none was. */
  readonly fingerprint?: string;
};

/** Codes of problems of a rollback: something stays as the change left it; a workload cannot be written yet. */
export const ROLLBACK_PROBLEMS = { incomplete: 'rollback_incomplete', waiting: 'rollback_waiting' } as const;

/** Code of the problem of a confirmed change of which rules are still logged. */
export const LOG_REMOVAL_WAITING = 'log_removal_waiting';

const RETRY_SECONDS = [5, 10, 20, 40, 80, 160, 300] as const;

/** How long after a try of a rollback, or of the removal of log levels, the next one starts: at most five minutes, and for ever. */
export const chooseRetrySeconds = (tries: number): number =>
  RETRY_SECONDS[Math.min(Math.max(tries, 1), RETRY_SECONDS.length) - 1] ?? 300;

type Pending = Pick<RolloutPolicy, 'kind' | 'workload_ids'>;

/**
 * Which deployments come next, of those that a wave still lacks: of each workload one after the other, so that each finds what the one
 * before left; removals once everything is applied, so that what takes the place of a policy is there before it goes.
 * @param pending in the order in which they are deployed
 */
export function selectNext<T extends Pending>(pending: readonly T[]): T[] {
  const taken = new Set<string>();
  const isApplying = pending.some(({ kind, workload_ids }) => kind === 'apply' && workload_ids.length > 0);
  return pending.filter(({ kind, workload_ids }) => {
    if (isApplying && kind === 'cleanup') return false;
    const isNext = workload_ids.length > 0 && !workload_ids.some((id) => taken.has(id));
    for (const id of workload_ids) taken.add(id);
    return isNext;
  });
}
