import type { ChangeApply } from '@/domain/change/change';
import { findNextWindow } from '@/domain/change/maintenance';
import type { StoredApplyRequest } from '@/domain/change/rollout';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import { assertChangeAcknowledged, assertStillAcknowledged } from '../../impact/apply-with-impact';
import { assertTestsHoldAfterChange, NO_TEST_RIGHTS, type TestRights } from '../../policy-tests/apply-gate';
import { type ChangeRow, listChangeOwners } from '../../queries/changes';
import { readMaintenanceWindows } from '../approval-rules';
import { type CompiledChange, compileChange } from '../compiled/compile-change';
import { compileFresh, type Fingerprints } from '../compiled/compile-fresh';
import { assertBases } from './assert-bases';

/** What the one who applies a change may do besides. */
export type ApplyRights = Omit<TestRights, 'reason'> & {
  readonly breakGlass: Scope<'change:break_glass'> | null;
  readonly impact: ImpactReader;
};

/** What was accepted when a change was applied. */
export type Accepted = Omit<StoredApplyRequest, 'at' | 'by' | 'fingerprint'> & {
  readonly break_glass: string | null;
  /** What was shown, of which nothing else is written; null: nothing was. */
  readonly fingerprints: Fingerprints | null;
};

type ToApply = Pick<ChangeRow, 'id' | 'items' | 'log_new_rules'>;

/**
 * Compiles a change that is going to be applied: on what is read of its workloads now when a difference of it was shown.
 * @param shown fingerprint of the difference that someone consented to; absent: whatever the change requires is written
 * @throws AppError `version_conflict`; `conflict` with reason `preview_outdated` when something else would be written by now
 */
export async function compileToApply(
  { id, items, log_new_rules }: ToApply,
  shown: string | undefined,
): Promise<{ compiled: CompiledChange; fingerprints: Fingerprints | null }> {
  if (shown === undefined) return { compiled: await compileChange(items, { log_new_rules }), fingerprints: null };
  // A newer version is a conflict of its own, which is shown side by side.
  await db.transaction((tx) => assertBases(tx, { items }));
  const { compiled, fingerprints, fingerprint } = await compileFresh(items, { log_new_rules });
  if (fingerprint === shown) return { compiled, fingerprints };
  throw new AppError(
    'conflict',
    'Since the difference was shown, the firewall of a workload or the desired rules changed. Nothing was written. Check the difference again, then apply the change.',
    { extra: { reason: 'preview_outdated', change_id: id } },
  );
}

/**
 * What has to hold when a change is applied: policy tests, and the acknowledged impact.
 * @throws AppError `conflict` with a reason; `forbidden` without the permission to override tests
 */
export async function checkApply(
  change: ChangeRow,
  compiled: CompiledChange,
  { override_tests, ...asked }: ChangeApply,
  rights: ApplyRights,
): Promise<Omit<Accepted, 'break_glass' | 'fingerprints'>> {
  const reason = override_tests?.reason ?? null;
  const refusal = { change_id: change.id };
  const override = await assertTestsHoldAfterChange(compiled, { ...rights, reason }, refusal);
  const acknowledged = await assertChangeAcknowledged(change, asked, rights.impact, refusal);
  return {
    impact_id: acknowledged?.impact_id ?? null,
    newly_blocked: acknowledged?.newly_blocked ?? null,
    override_tests: override?.reason ?? null,
    ...(override && { overridden_tests: override.ids, overridden_versions: override.versions }),
  };
}

/**
 * The same when a scheduled change starts, on behalf of the one who asked for it: nothing holds less than what was accepted then.
 * @param rights what they may do by now
 * @throws AppError `conflict` when another test fails, or other conversations would be blocked; `forbidden` when they may not override
 * the failing tests any more
 */
export async function checkScheduled(
  { id }: Pick<ChangeRow, 'id'>,
  compiled: CompiledChange,
  { override_tests, overridden_tests = [], overridden_versions, impact_id }: StoredApplyRequest,
  rights: Pick<TestRights, 'override' | 'protect'>,
): Promise<void> {
  // A test that was edited since is another one.
  const isOverridden = (test: { readonly id: string; readonly version: number }) =>
    overridden_tests.includes(test.id) && (overridden_versions?.[test.id] ?? test.version) === test.version;
  const known = { ...NO_TEST_RIGHTS, ...rights, reason: override_tests };
  await assertTestsHoldAfterChange(compiled, known, { change_id: id }, isOverridden);
  if (impact_id !== null) await assertStillAcknowledged(impact_id);
}

type Schedule = Pick<ChangeRow, 'id' | 'scheduled_at' | 'within_maintenance'>;

/**
 * When a change may start: at its scheduled time, or later when the maintenance windows of all its tenants are open together; null:
 * never within the following days.
 */
export async function findStart({ id, scheduled_at, within_maintenance }: Schedule): Promise<Date | null> {
  const now = clock.now().getTime();
  const from = Math.max(now, scheduled_at === null ? now : Date.parse(scheduled_at));
  if (!within_maintenance) return new Date(from);
  const tenants = (await listChangeOwners(db, id)).map(({ tenant_id }) => tenant_id);
  const windows = await readMaintenanceWindows(db, new Set(tenants));
  const next = findNextWindow([...windows.values()], from);
  return next === null ? null : new Date(next);
}
