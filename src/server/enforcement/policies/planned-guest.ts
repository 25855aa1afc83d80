import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import type { DesiredGuest } from '@/domain/policy/desired';
import { applyStep } from '@/domain/policy/plan/apply-step';
import { settle } from '@/domain/policy/plan/dormant';
import type { GuestFilter, GuestIntent, PlanStep } from '@/domain/policy/plan/guest-filter';
import { computeLayout } from '@/domain/policy/plan/layout';
import { planGuest } from '@/domain/policy/plan/plan-guest';
import { recordStep, settleWritten } from '@/domain/policy/plan/switch-changes';
import { defaultsInEffect } from '../deployments/guest/read-guest-filter';
import { getPolicyDrops, intentFor, isBeforeFabric, type Placed, toGuestOrigin } from '../deployments/guest-work';
import { toGuestFilter } from '../guest-firewall/read-guest-live';
import type { GuestFirewallRow } from '../queries/guest-firewalls';
import type { InputWorkload } from '../queries/policy-inputs';
import type { PolicyInputs } from './policy-inputs';

/** What a deployment does with one policy. */
export type Leaves = 'apply' | 'cleanup';

/** One deployment at one guest. @property desired what all policies require there; null: nothing */
export type PlannedWork = {
  readonly policy_id: string;
  readonly leaves: Leaves;
  readonly desired: DesiredGuest | null;
};

/** What is noted about a guest: what was applied there, and what undoes it. */
export type GuestNotes = { readonly row: GuestFirewallRow; readonly placements: readonly Placed[] };

/** The switches that were written, and what the defaults were before a policy asked for dropping. */
function noteSwitches(row: GuestFirewallRow, settled: GuestFilter, steps: readonly PlanStep[], intent: GuestIntent) {
  const { default_in, default_out } = intent;
  const { baseline, written } = toGuestOrigin(row);
  const noted = { written, default_in: row.default_in_before, default_out: row.default_out_before };
  let state = settled;
  for (const step of steps) {
    if (step.kind === 'set_options') {
      const before = defaultsInEffect(state);
      const drops = (goal: unknown, policy: string | null | undefined) =>
        goal === 'drop' && (policy === 'DROP' || step.changes.enable === 1);
      if (drops(default_in, step.changes.policy_in) && before.in !== 'DROP') noted.default_in ??= before.in;
      if (drops(default_out, step.changes.policy_out) && before.out !== 'DROP') noted.default_out ??= before.out;
    }
    noted.written = recordStep(noted.written, baseline, state, step);
    state = applyStep(state, step);
  }
  return noted;
}

/** Called with each deployment: how the guest is before it, and what it wants there. */
export type VisitPlan = (policyId: string, filter: GuestFilter, intent: GuestIntent) => void;

/** Of what is planned only that it is applied counts, not when. */
const APPLIED = new Date(0).toISOString();

/** What a deployment leaves at a guest, and what it notes about it. */
function planDeployment(
  inputs: PolicyInputs,
  workload: InputWorkload,
  filter: GuestFilter,
  { policy_id, leaves, desired }: PlannedWork,
  notes: GuestNotes,
  visit?: VisitPlan,
): { after: GuestFilter; notes: GuestNotes } {
  const work = { workload, desired };
  const intent = intentFor(inputs, policy_id, leaves, work, notes);
  visit?.(policy_id, filter, intent);
  const settled = settle(filter, intent, computeLayout(filter.rules, intent));
  const { steps, after } = planGuest(settled, intent);
  const others = notes.placements.filter((placement) => placement.policy_id !== policy_id);
  if (intent.restore) {
    const { workload_id, lease_owner, lease_at } = notes.row;
    const forgotten = { default_in_before: null, default_out_before: null, baseline: null, switches_written: null };
    return { after, notes: { row: { workload_id, lease_owner, lease_at, ...forgotten }, placements: others } };
  }
  const isFirst = intent.switch_on && notes.placements.length === 0 && isBeforeFabric(filter, inputs.instance);
  const row = { ...notes.row, baseline: notes.row.baseline ?? (isFirst ? filter : null) };
  const noted = noteSwitches(row, settled, steps, intent);
  return {
    after,
    notes: {
      row: {
        ...row,
        switches_written: settleWritten(noted.written, after),
        default_in_before: typeof intent.default_in === 'object' ? null : noted.default_in,
        default_out_before: typeof intent.default_out === 'object' ? null : noted.default_out,
      },
      placements: intent.switch_on
        ? [...others, { policy_id, applied_at: APPLIED, ...getPolicyDrops(policy_id, { desired }) }]
        : others,
    },
  };
}

/**
 * A guest as deployments would leave it, one after the other, each planned as it will be. Null: what is live could not be read,
 * so that it is not known.
 */
export function planGuestAfter(
  inputs: PolicyInputs,
  workload: InputWorkload,
  before: GuestSnapshot,
  works: readonly PlannedWork[],
  notes: GuestNotes,
  visit?: VisitPlan,
): GuestSnapshot | null {
  const filter = toGuestFilter(before);
  if (!filter) return null;
  const { after } = works.reduce(
    (state, work) => planDeployment(inputs, workload, state.after, work, state.notes, visit),
    { after: filter, notes },
  );
  const flags = new Map(after.nics.map(({ name, firewall }) => [name, firewall]));
  return {
    ...before,
    rules: after.rules,
    options: after.options,
    ipsets: after.sets,
    nics: (before.nics ?? []).map((nic) => ({ ...nic, firewall: flags.get(nic.name) ?? nic.firewall })),
  };
}
