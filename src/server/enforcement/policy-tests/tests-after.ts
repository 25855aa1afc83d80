import { isWithinReach, type Reach } from '@/domain/permissions';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { db } from '../../db/client';
import { statesAfterApply } from '../impact/states-after';
import type { Board } from '../policies/board/board';
import type { InputPolicy } from '../queries/policy-inputs';
import { findPolicyTestsByIds, listAllPolicyTests, type PolicyTestRow } from '../queries/policy-tests';
import { describeTest } from './describe-test';
import { TestInputs } from './test-inputs';
import type { Readable } from './test-places';

/** A test that fails in the state after an apply. */
type Failing = { readonly test: PolicyTestRow; readonly decision: ReturnType<TestInputs['decide']> };
export type TestsAfter = { readonly failing: readonly Failing[]; readonly after: Readable };

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/**
 * The tests that fail after an apply, of those with an end that includes a guest that the apply changes.
 * @param readings what is live now, by workload and cluster
 */
export async function failingAfterApply(
  board: Pick<Board, 'inputs' | 'readings'>,
  policy: InputPolicy,
  places: readonly string[],
): Promise<TestsAfter> {
  const { inputs, readings } = board;
  const states = await statesAfterApply(inputs, policy, places, readings.guests);
  const guests = new Map(readings.guests);
  const changed = new Set<string>();
  for (const [id, { before, after }] of states) {
    const reading = readings.guests.get(id);
    if (!reading || !after || isSame(before, after)) continue;
    changed.add(id);
    guests.set(id, { ...reading, state: after });
  }
  const after: Readable = { inputs, readings: { ...readings, guests } };
  if (changed.size === 0) return { failing: [], after };
  const evaluated = new TestInputs(after);
  const failing = (await listAllPolicyTests(db)).flatMap((test): Failing[] => {
    if (!evaluated.workloadsOf(test).some((id) => changed.has(id))) return [];
    const decision = evaluated.decide(test);
    return decision.result === 'fail' ? [{ test, decision }] : [];
  });
  return { failing, after };
}

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
    const row = stored.get(test.id);
    if (!row || reach === null) return [];
    const { result, unknown_reason, finding, not_filtered_total } = decision;
    const not_filtered = [...decision.not_filtered];
    return [describeTest(after, reach, { ...row, result, unknown_reason, finding, not_filtered, not_filtered_total })];
  });
  return { tests, hidden: failing.length - tests.length };
}
