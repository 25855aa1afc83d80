import { isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { type CompiledChange, listSubjects } from '../changes/compiled/compile-change';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { listApplyPlaces, readUnrestored } from '../policies/planned-change';
import type { PolicyTestRow } from '../queries/policy-tests';
import { describeFailing, findFailingAfterApply, findFailingTests, type TestsAfter } from './tests-after';

/** What the caller of an apply may do about policy tests, and why it applies although some fail. */
export type TestRights = {
  readonly read: Reach | null;
  readonly override: Scope<'policy_test:override'> | null;
  readonly protect: Scope<'policy_test:protect'> | null;
  readonly reason: string | null;
};
export const NO_TEST_RIGHTS: TestRights = { read: null, override: null, protect: null, reason: null };

/** What an apply keeps of an override, with the tests by name and ID; null: no test fails. */
export type Override = {
  readonly reason: string;
  readonly tests: readonly string[];
  readonly ids: readonly string[];
  /** By ID. */
  readonly versions: Readonly<Record<string, number>>;
} | null;

const formatTestNames = (names: readonly string[], hidden: number): string => {
  const shown = names.slice(0, 5);
  const others = names.length - shown.length + hidden;
  const more = others === 0 ? [] : [shown.length > 0 ? `${others} more` : `${others} not visible to you`];
  return [...shown, ...more].join(', ');
};

/** @throws AppError `forbidden` for those who may not override these tests of all that is applied */
function assertMayOverride({ failing }: TestsAfter, owners: readonly Owned[], { override, protect }: TestRights): void {
  const refuse = (what: string, permission: string) =>
    new AppError('forbidden', `Overriding ${what} requires the permission ${permission}.`, { extra: { permission } });
  if (!override || !owners.every((owner) => isWithinReach(owner, override.reach))) {
    throw refuse('failing policy tests', 'policy_test:override');
  }
  if (!protect && failing.some(({ test }) => test.protected)) {
    throw refuse('a protected connection', 'policy_test:protect');
  }
}

/** @param what what is applied, with the remedy */
async function assertNoneFails(
  found: TestsAfter,
  owners: readonly Owned[],
  rights: TestRights,
  refusal: object,
  what: { readonly name: string; readonly remedy: string },
): Promise<Override> {
  if (found.failing.length === 0) return null;
  const { reason } = rights;
  if (reason === null) {
    const { tests, hidden } = await describeFailing(found, rights.read);
    const list = formatTestNames(
      tests.map(({ name }) => name),
      hidden,
    );
    const message = `Policy tests would fail after applying ${what.name}: ${list}. ${what.remedy}, or override the tests with a reason.`;
    throw new AppError('conflict', message, {
      extra: { ...refusal, message, reason: 'policy_tests_failing', failing_tests: tests, hidden_tests: hidden },
    });
  }
  assertMayOverride(found, owners, rights);
  const tests = found.failing.map(({ test }) => test);
  const versions = Object.fromEntries(tests.map(({ id, version }) => [id, version]));
  return { reason, tests: tests.map(({ name }) => name), ids: tests.map(({ id }) => id), versions };
}

/**
 * Refuses an apply after which policy tests fail that include a changed workload, unless the caller overrides them with a
 * reason. Evaluated on what was last read; no cluster is contacted.
 * @param refusal what every refusal of the apply says
 * @throws AppError `conflict` with the failing tests; `forbidden` without the permission to override them
 */
export async function assertTestsHold(
  policy: Owned & { readonly id: string; readonly name: string },
  rights: TestRights,
  refusal: object,
  firewall?: FirewallState,
): Promise<Override> {
  const known = firewall ?? (await readFirewallState());
  const stored = known.inputs.policies.find(({ id }) => id === policy.id);
  if (!stored) return null;
  const places = listApplyPlaces(known, policy.id, await readUnrestored(known.inputs, [stored]));
  const found = await findFailingAfterApply(known, stored, places);
  return assertNoneFails(found, [policy], rights, refusal, { name: policy.name, remedy: 'Change the policy' });
}

/**
 * The same of a change as a whole: several policies may each break a test that holds once all are applied.
 * @param mayCover whether the override may cover a test
 * @throws as `assertTestsHold`
 */
export async function assertTestsHoldAfterChange(
  compiled: CompiledChange,
  rights: TestRights,
  refusal: object,
  mayCover: (test: Pick<PolicyTestRow, 'id' | 'version'>) => boolean = () => true,
): Promise<Override> {
  const subjects = listSubjects(compiled);
  const what = { name: 'the change', remedy: 'Edit the change' };
  const found = await findFailingTests(compiled.change, subjects, compiled.items);
  const others = found.failing.filter(({ test }) => !mayCover(test));
  await assertNoneFails({ ...found, failing: others }, subjects, NO_TEST_RIGHTS, refusal, what);
  const failing = found.failing.filter(({ test }) => mayCover(test));
  return assertNoneFails({ ...found, failing }, subjects, rights, refusal, what);
}
