import { setImmediate } from 'node:timers/promises';
import type { ClusterSnapshot } from '@/domain/firewall/snapshot';
import { approvedStates } from '@/domain/policy/plan/approved-plan';
import type { GuestFilter, GuestIntent } from '@/domain/policy/plan/guest-filter';
import { planGuest } from '@/domain/policy/plan/plan-guest';
import type { ChangedDifference } from '@/domain/policy-preview';
import { clock } from '../../../lib/clock';
import { toGuestFilter } from '../../guest-firewall/read-guest-live';
import { guestFingerprint, previewDifference } from '../../policies/preview/preview-guest';
import type { InputWorkload } from '../../queries/policy-inputs';
import { GuestProblem } from './perform-step';
import type { ReadGuest } from './read-guest-filter';

type Approved = {
  /** Fingerprint that the preview gave for the workload; null: it was not in the preview. */
  readonly fingerprint: string | null;
  readonly workload: InputWorkload;
  readonly intent: GuestIntent;
  /** How the guest was before the first write of the deployment, when an earlier worker made it; else null. */
  readonly before: GuestFilter | null;
  /** Whether it is part of a change, which continues without the workload or is rolled back. */
  readonly isInChange?: boolean;
  readonly readCluster: () => Promise<ClusterSnapshot>;
  /** Called with what would be written now instead. */
  readonly onChanged: (difference: ChangedDifference) => Promise<void>;
};

const REMEDY = 'Review the changes, preview the policy again, then apply it.';
const REMEDY_IN_CHANGE =
  'Continue the change without this workload, or roll it back. What it would write now is only written by a new change.';

function createChangedProblem(fingerprint: string | null, written: boolean, remedy: string): GuestProblem {
  const code = 'changed_since_preview';
  if (written) {
    const message =
      'Someone else changed the workload during the deployment. Everything written before that is part of the preview.';
    return new GuestProblem({ code, message, remedy });
  }
  const message =
    fingerprint === null
      ? 'The workload is not part of the preview, but applying would change it. Nothing was written.'
      : "Since the preview, the workload's firewall, an object it refers to, or the desired rules changed. Nothing was written.";
  return new GuestProblem({ code, message, remedy }, true);
}

const withoutUnbridged = (filter: GuestFilter): GuestFilter => ({
  ...filter,
  nics: filter.nics.filter(({ unbridged }) => !unbridged),
});

/**
 * Decides right before each write whether the preview showed it: the guest has to be as the preview saw it, or on the
 * way from there by writes of this deployment only, including those of an earlier worker.
 */
export function approveWrites({ fingerprint, workload, intent, before, isInChange, readCluster, onChanged }: Approved) {
  let start = before && withoutUnbridged(before);
  let writesDone: ((now: GuestFilter) => number) | null = null;
  let least = 0;
  let seen: ReadGuest['snapshot'] | null = null;

  const isUnchanged = async (state: ReadGuest): Promise<boolean> => {
    const { snapshot } = state;
    if (snapshot !== seen) {
      const first = start ?? toGuestFilter(snapshot);
      if (!first || fingerprint === null) return false;
      const { aliases, nics } = snapshot;
      const context = { aliases, nics: nics ?? [], cluster: await readCluster(), node: workload.node_name };
      const plan = planGuest(first, intent);
      if (guestFingerprint(first, intent, context, plan) !== fingerprint) return false;
      // Other guests are planned at the same time, and leases are to be renewed.
      await setImmediate();
      writesDone ??= approvedStates(first, intent, plan);
      start = first;
      seen = snapshot;
    }
    const done = writesDone?.(withoutUnbridged(state)) ?? -1;
    if (done < least) return false;
    // The write that comes next may remain undone and be repeated; what was done before it stays done.
    least = done;
    return true;
  };

  /** @param written whether this worker wrote something already */
  return async (state: ReadGuest, written: boolean): Promise<void> => {
    if (await isUnchanged(state)) return;
    const filter = toGuestFilter({ ...state.snapshot, rules: state.rules, options: state.options, ipsets: state.sets });
    if (filter) {
      const known = { workload, state: state.snapshot, cluster: await readCluster() };
      await onChanged({ ...previewDifference(filter, intent, known), read_at: clock.now().toISOString() });
    }
    throw createChangedProblem(fingerprint, written || before !== null, isInChange ? REMEDY_IN_CHANGE : REMEDY);
  };
}
