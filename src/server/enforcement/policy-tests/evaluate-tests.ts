import { type Owned, toOwner } from '@/domain/permissions';
import { isSameJson } from '@/domain/policy/snapshot';
import type { TestDecision } from '@/domain/policy-tests/decide';
import type { StoredCause } from '@/domain/policy-tests/definition';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { logger } from '../../lib/logger';
import { processState } from '../../lib/process-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import type { Readable } from '../policies/planned-change';
import {
  listAllPolicyTests,
  listPolicyTestResults,
  type PolicyTestResultRow,
  type PolicyTestRow,
  policyTestsStamp,
  storePolicyTestResults,
} from '../queries/policy-tests';
import { type Evaluated, findCause } from './find-cause';
import { TestInputs } from './test-inputs';

/** What the last pass of this process evaluated: tests whose text is the same have the same result. */
type LastPass = { firewall: Readable | null; stamp: string; prints: Map<string, string> };
const state = processState<LastPass>(() => ({ firewall: null, stamp: '', prints: new Map() }));

type Known = PolicyTestResultRow | undefined;

const sameFinding = (a: unknown, b: unknown) => isSameJson(a ?? null, b ?? null);

/** The result of a test as it is stored. */
const resultRow = (
  test: PolicyTestRow,
  inputs: TestInputs,
  decision: TestDecision,
  checked_at: string,
  failing: Pick<PolicyTestResultRow, 'failing_since' | 'caused_by'> | null,
): PolicyTestResultRow => ({
  ...decision,
  policy_test_id: test.id,
  test_version: test.version,
  not_filtered: [...decision.not_filtered],
  workload_ids: inputs.workloadsOf(test),
  failing_since: failing?.failing_since ?? null,
  caused_by: failing?.caused_by ?? null,
  checked_at,
});

/** One test evaluated now; its cause is looked up when it starts to fail. */
async function evaluateOne(test: PolicyTestRow, inputs: TestInputs, known: Known, evaluated: Evaluated, at: string) {
  const decision = inputs.decide(test);
  if (decision.result !== 'fail') return resultRow(test, inputs, decision, at, null);
  if (known?.result === 'fail') return resultRow(test, inputs, decision, at, known);
  const caused_by = await findCause(db, test, decision, evaluated, known?.checked_at ?? test.created_at, at);
  return resultRow(test, inputs, decision, at, { failing_since: at, caused_by });
}

/** Evaluates a test that was just created or changed; its author is the cause if it fails. */
export async function evaluateTest(
  tx: Tx,
  scope: { readonly actor: { readonly name: string } },
  firewall: Readable,
  test: PolicyTestRow,
): Promise<void> {
  const inputs = new TestInputs(firewall);
  const decision = inputs.decide(test);
  const at = clock.now().toISOString();
  const isNew = test.version === 1;
  const caused_by: StoredCause = {
    kind: 'created',
    at,
    text: isNew ? 'The test failed when it was created.' : 'The test failed when it was changed.',
    actor_name: scope.actor.name,
    action: isNew ? 'policy_test.created' : 'policy_test.updated',
    object_kind: 'policy_test',
    object_id: test.id,
    object_name: test.name,
    tenant_id: test.tenant_id,
  };
  const failing = decision.result === 'fail' ? { failing_since: at, caused_by } : null;
  await storePolicyTestResults(tx, [resultRow(test, inputs, decision, at, failing)]);
}

/**
 * Evaluates the tests that something touched since the last pass: their definition, what their ends resolve to, or what is live
 * there. Safe to run at any time: without a change it is two queries. After a start, all tests are evaluated once.
 * @returns how many tests were evaluated
 */
export async function evaluatePolicyTests(signal?: AbortSignal): Promise<number> {
  const [firewall, stamp] = await Promise.all([readFirewallState(), policyTestsStamp(db)]);
  if (state.firewall === firewall && state.stamp === stamp) return 0;
  const tests = await listAllPolicyTests(db);
  const inputs = new TestInputs(firewall);
  const prints = new Map(tests.map((test) => [test.id, `${test.version} ${inputs.printOf(test)}`]));
  const touched = tests.filter(({ id }) => prints.get(id) !== state.prints.get(id));
  const known = await listPolicyTestResults(
    db,
    touched.map(({ id }) => id),
  );
  const at = clock.now().toISOString();
  const evaluated: Evaluated = { before: state.firewall, now: firewall };
  const rows: Awaited<ReturnType<typeof evaluateOne>>[] = [];
  const changed = new Map<string, Owned>();
  for (const test of touched) {
    signal?.throwIfAborted();
    const before = known.get(test.id);
    const row = await evaluateOne(test, inputs, before, evaluated, at);
    rows.push(row);
    if (row.result !== before?.result || !sameFinding(row.finding, before.finding)) {
      changed.set(`${test.tenant_id} ${test.project_id}`, toOwner(test));
    }
  }
  await db.transaction(async (tx) => {
    await storePolicyTestResults(tx, rows);
    for (const owner of changed.values()) await publishEvent(tx, { type: 'policy_test.changed', ...owner });
  });
  Object.assign(state, { firewall, stamp, prints });
  if (touched.length > 0) {
    const failing = rows.filter(({ result }) => result === 'fail').length;
    logger.debug({ tests: tests.length, evaluated: touched.length, failing }, 'policy tests evaluated');
  }
  return touched.length;
}
