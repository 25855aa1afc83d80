import { isTestItem } from '@/domain/change/item-objects';
import type { ChangeItem } from '@/domain/change/items';
import { ruleAt } from '@/domain/firewall/rule-at';
import { isWithinReach, type Owned, type Reach, toOwner } from '@/domain/permissions';
import { parseMarker } from '@/domain/policy/marker';
import type { TestFinding } from '@/domain/policy-tests/decide';
import { type PolicyTest, toTestContent } from '@/domain/policy-tests/definition';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { liveStateAt } from '../policies/firewall-state/views';
import { computeApplyChange, type FirewallChange, type Readable } from '../policies/planned-change';
import type { InputPolicy } from '../queries/policy-inputs';
import { type FoundTest, findPolicyTestsByIds, listAllPolicyTests, type PolicyTestRow } from '../queries/policy-tests';
import { describeTest } from './describe-test';
import { TestInputs } from './test-inputs';

/** A test that fails in the state after an apply. */
type Failing = { readonly test: PolicyTestRow; readonly decision: ReturnType<TestInputs['decide']> };
export type TestsAfter = { readonly failing: readonly Failing[]; readonly after: Readable };

/** What an apply concerns: a policy, or a workload of which it removes residual rules. */
export type TestSubject = Owned & { readonly id: string };

/** The tests as they will be read once the items of a change are stored. */
export function applyTestItems(stored: readonly PolicyTestRow[], items: readonly ChangeItem[]): PolicyTestRow[] {
  if (!items.some(isTestItem)) return [...stored];
  const tests = new Map(stored.map((test) => [test.id, test]));
  const now = clock.now().toISOString();
  for (const item of items) {
    if (item.kind === 'policy_test_delete') tests.delete(item.policy_test_id);
    if (item.kind !== 'policy_test') continue;
    const { policy_test_id: id, after } = item;
    const times = { created_at: now, updated_at: now };
    const fresh = { protected: false, template: null, managed_by: null, version: 0, ...times };
    const former = tests.get(id) ?? fresh;
    tests.set(id, { ...former, id, ...toOwner(item), ...after, version: former.version + 1 });
  }
  return [...tests.values()];
}

/** Whether a test may stop an apply of a policy: those of the policy's own project and tenant, and of the installation. */
const canBlockApply = (test: Owned, policy: Owned): boolean =>
  test.tenant_id === null ||
  (test.tenant_id === policy.tenant_id && (test.project_id === null || test.project_id === policy.project_id));

/** The policy whose rule decides the counterexample; null: something else decides. */
function decidingPolicy(after: Readable, { source_place, destination_place, side, decided_by }: TestFinding) {
  const place = side === 'source' ? source_place : destination_place;
  const workload = place?.kind === 'workload' ? after.inputs.workloads.get(place.id) : undefined;
  if (!workload || decided_by.kind !== 'rule') return null;
  const found = ruleAt(liveStateAt(after, workload), decided_by);
  return (found?.own && parseMarker(found.rule.comment)?.policy_id) || null;
}

/**
 * The tests that deploying policies makes fail, or keeps failing by a rule of one of them, of those with an end that includes a
 * guest that it changes. A test that fails for another reason stops no apply: the policies behind two failing tests could
 * otherwise be fixed in no order.
 * @param items edits of tests that count as stored
 */
export async function findFailingTests(
  { before, after, changed }: FirewallChange,
  subjects: readonly TestSubject[],
  items: readonly ChangeItem[] = [],
): Promise<TestsAfter> {
  if (changed.size === 0) return { failing: [], after };
  const ids = new Set(subjects.map(({ id }) => id));
  const evaluated = new TestInputs(after);
  const live = new TestInputs(before);
  const failing = applyTestItems(await listAllPolicyTests(db), items).flatMap((test): Failing[] => {
    const isConcerned = subjects.some((subject) => canBlockApply(test, subject));
    if (!isConcerned || !evaluated.workloadsOf(test).some((id) => changed.has(id))) return [];
    const decision = evaluated.decide(test);
    if (decision.result !== 'fail') return [];
    const isOwn = decision.finding !== null && ids.has(decidingPolicy(after, decision.finding) ?? '');
    return isOwn || live.decide(test).result !== 'fail' ? [{ test, decision }] : [];
  });
  return { failing, after };
}

/** The same for a policy on what was last read. */
export const findFailingAfterApply = async (
  firewall: Readable,
  policy: InputPolicy,
  places: readonly string[],
): Promise<TestsAfter> => findFailingTests(await computeApplyChange(firewall, policy, places), [policy]);

/** A test that was not evaluated yet, before the names of its owner are read. */
const toUnread = (test: PolicyTestRow): FoundTest => ({
  ...test,
  ...{ tenant_name: null, project_name: null, result: 'unknown', unknown_reason: 'not_evaluated', not_filtered: [] },
  ...{ not_filtered_total: 0, failing_since: null, caused_by: null, checked_at: null, finding: null, workload_ids: [] },
});

/** Failing tests as a reader sees them, with the counterexample of the state after; those not visible are only counted. */
export async function describeFailing(
  { failing, after }: TestsAfter,
  reach: Reach | null,
): Promise<{ tests: PolicyTest[]; hidden: number }> {
  const visible = failing.filter(({ test }) => reach !== null && isWithinReach(test, reach));
  const stored = await findPolicyTestsByIds(
    db,
    visible.map(({ test }) => test.id),
  );
  const tests = visible.flatMap(({ test, decision }) => {
    if (reach === null) return [];
    const row = { ...(stored.get(test.id) ?? toUnread(test)), ...toTestContent(test) };
    const { result, unknown_reason, finding, not_filtered_total } = decision;
    const not_filtered = [...decision.not_filtered];
    return [describeTest(after, reach, { ...row, result, unknown_reason, finding, not_filtered, not_filtered_total })];
  });
  return { tests, hidden: failing.length - tests.length };
}
