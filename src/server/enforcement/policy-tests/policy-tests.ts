import type { Page } from '@/domain/list';
import { type Owned, type Reach, toOwner } from '@/domain/permissions';
import {
  type PolicyTest,
  type PolicyTestInput,
  type PolicyTestListInput,
  type PolicyTestUpdate,
  portsProblem,
  type TestContent,
  toTestContent,
} from '@/domain/policy-tests/definition';
import { parseTestEndpoint } from '@/domain/policy-tests/test-endpoint';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound, refuseField } from '../../lib/refusals';
import { chooseOwner } from '../../tenancy/choose-owner';
import type { WithinChange } from '../changes/rollout/guard';
import { pinTestGroups } from '../groups/pin-groups';
import { assertUnmanaged } from '../managed/managed';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { findTouching, listVisiblePlaces } from '../policies/policies-in-reach';
import { findPolicy } from '../queries/policies';
import * as repository from '../queries/policy-tests';
import {
  countPolicyTests,
  deletePolicyTest as deleteRow,
  findPolicyTest,
  forgetPolicyTestResult,
  insertPolicyTest,
  lockPolicyTest,
  type PolicyTestRow,
  policyTestNameTaken,
  updatePolicyTest as updateRow,
} from '../queries/policy-tests';
import { describeTest } from './describe-test';
import { evaluateTest } from './evaluate-tests';

/** More would make the pass over all of them take longer than its interval. */
const MAX_TESTS = 1_000;

/** What the audit trail keeps of a test. */
export function auditedTest(test: PolicyTestRow): Record<string, unknown> {
  return { project_id: test.project_id, ...toTestContent(test), protected: test.protected };
}

/** Nodes belong to the installation: a tenant's test cannot name one. @throws AppError `refused` */
export function assertEnds({ tenant_id }: Owned, test: { from?: readonly string[]; to?: readonly string[] }): void {
  if (tenant_id === null) return;
  for (const field of ['from', 'to'] as const) {
    const named = test[field]?.some((text) => {
      const parsed = parseTestEndpoint(text);
      return !('error' in parsed) && parsed.kind === 'node';
    });
    if (named) throw refuseField(field, 'Only tests of the whole installation can name nodes.');
  }
}

/** Workloads that the lists of one workload or policy are about; null: all. @throws AppError `not_found` */
async function workloadsIn(
  firewall: FirewallState,
  reach: Reach,
  input: PolicyTestListInput,
): Promise<string[] | null> {
  const { workload_id, policy_id } = input;
  if (policy_id === undefined) return workload_id === undefined ? null : [workload_id];
  const policy = await findPolicy(db, reach, policy_id, await findTouching(reach));
  const places = policy ? listVisiblePlaces(firewall, policy, reach) : [];
  return workload_id === undefined ? [...places] : places.filter((id) => id === workload_id);
}

/** One page of the tests visible to the caller, each with its last result. */
export async function listPolicyTests(
  { reach }: Scope<'policy_test:read'>,
  input: PolicyTestListInput,
): Promise<Page<PolicyTest>> {
  const firewall = await readFirewallState();
  const page = await repository.listPolicyTests(reach, input, await workloadsIn(firewall, reach, input));
  return { ...page, items: page.items.map((test) => describeTest(firewall, reach, test)) };
}

/** @throws AppError `not_found` */
export async function readPolicyTest({ reach }: Scope<'policy_test:read'>, id: string): Promise<PolicyTest> {
  const test = await findPolicyTest(db, reach, id);
  if (!test) throw notFound('policy test');
  return describeTest(await readFirewallState(), reach, test);
}

/** What a change or a request makes of a test. */
type NewTest = TestContent & Owned & { readonly id: string };

/** What happens after every write of a test. @param firewall null: the next pass evaluates the test */
async function evaluateStored(
  tx: Tx,
  scope: Scope<'policy_test:write'>,
  firewall: FirewallState | null,
  row: PolicyTestRow,
): Promise<void> {
  if (firewall) await evaluateTest(tx, scope, firewall, row);
  else await forgetPolicyTestResult(tx, row.id);
  await publishEvent(tx, { type: 'policy_test.changed', ...toOwner(row) });
}

/** As `createPolicyTest`, inside the caller's transaction. @param firewall null: the next pass evaluates the test */
export async function createPolicyTestIn(
  tx: Tx,
  scope: Scope<'policy_test:write'>,
  firewall: FirewallState | null,
  test: NewTest,
): Promise<void> {
  const owner = toOwner(test);
  assertEnds(owner, test);
  if (await policyTestNameTaken(tx, owner, test.name)) throw nameTaken('policy test', test.name);
  if ((await countPolicyTests(tx, owner)) >= MAX_TESTS) {
    throw new AppError('refused', `There are ${MAX_TESTS} policy tests already. Delete some first.`);
  }
  await insertPolicyTest(tx, await pinTestGroups(tx, owner, test));
  const row = await lockPolicyTest(tx, 'all', test.id);
  if (!row) throw new Error('expected the stored test to exist');
  await evaluateStored(tx, scope, firewall, row);
  await recordAudit(tx, scope, {
    action: 'policy_test.created',
    object_kind: 'policy_test',
    object_id: row.id,
    object_name: row.name,
    tenant_id: row.tenant_id,
    after: auditedTest(row),
  });
}

/** As `createPolicyTest`, in the caller's transaction. @returns the id */
export async function storePolicyTest(
  tx: Tx,
  scope: Scope<'policy_test:write'>,
  firewall: FirewallState,
  { tenant_id: tenant, project_id: project, ...fields }: PolicyTestInput,
): Promise<string> {
  const owner = await chooseOwner(tx, scope.reach, { tenant_id: tenant, project_id: project });
  const id = newId();
  await createPolicyTestIn(tx, scope, firewall, { ...fields, ...owner, id });
  return id;
}

/**
 * Creates a test and evaluates it on the live rules as last read.
 * @throws AppError `conflict` when the owner has one of this name; `malformed` without a tenant or project of the caller's;
 *   `refused` when a tenant's test names a node, or with too many tests
 */
export async function createPolicyTest(scope: Scope<'policy_test:write'>, input: PolicyTestInput): Promise<PolicyTest> {
  const firewall = await readFirewallState();
  const found = await db.transaction(async (tx) =>
    findPolicyTest(tx, 'all', await storePolicyTest(tx, scope, firewall, input)),
  );
  if (!found) throw new Error('expected the stored test to exist');
  return describeTest(firewall, scope.reach, found);
}

/** A test that the caller may change, and no protected connection. @throws AppError `not_found`, `forbidden` */
export async function lockOwnTest(tx: Tx, reach: Reach, id: string): Promise<PolicyTestRow> {
  const row = await lockPolicyTest(tx, reach, id);
  if (!row) throw notFound('policy test');
  if (row.protected) {
    throw new AppError('forbidden', `${row.name} is a protected connection. Change it under Protected connections.`);
  }
  return row;
}

/** As `updatePolicyTest`, inside the caller's transaction. @param firewall null: the next pass evaluates the test @param within the change whose content it stores */
export async function updatePolicyTestIn(
  tx: Tx,
  scope: Scope<'policy_test:write'>,
  firewall: FirewallState | null,
  id: string,
  { version, ...input }: PolicyTestUpdate,
  within?: WithinChange,
): Promise<void> {
  const row = await lockOwnTest(tx, scope.reach, id);
  assertVersion('policy test', row.version, version, { current: auditedTest(row) });
  const ends = await pinTestGroups(tx, row, { from: input.from ?? row.from, to: input.to ?? row.to });
  const changes = changedFields<PolicyTestRow, Partial<PolicyTestRow>>(row, { ...input, ...ends });
  if (Object.keys(changes).length === 0) return;
  assertUnmanaged('policy_test', row, within);
  const next = { ...row, ...changes, version: row.version + 1 };
  const problem = portsProblem(next);
  if (problem) throw refuseField('ports', problem);
  assertEnds(row, next);
  if (next.name !== row.name && (await policyTestNameTaken(tx, row, next.name))) {
    throw nameTaken('policy test', next.name);
  }
  await updateRow(tx, id, { ...changes, version: next.version });
  await evaluateStored(tx, scope, firewall, next);
  await recordAudit(tx, scope, {
    action: 'policy_test.updated',
    object_kind: 'policy_test',
    object_id: id,
    object_name: next.name,
    tenant_id: row.tenant_id,
    before: auditedTest(row),
    after: auditedTest(next),
  });
}

/**
 * Changes a test and evaluates it; fields that are left out stay. Without a change nothing is written or recorded.
 * @throws AppError `not_found`, `version_conflict`, `conflict` when the name is taken, `refused` as `createPolicyTest`,
 *   `forbidden` for a protected connection
 */
export async function updatePolicyTest(
  scope: Scope<'policy_test:write'>,
  id: string,
  update: PolicyTestUpdate,
): Promise<PolicyTest> {
  const firewall = await readFirewallState();
  const found = await db.transaction(async (tx) => {
    await updatePolicyTestIn(tx, scope, firewall, id, update);
    return findPolicyTest(tx, 'all', id);
  });
  if (!found) throw new Error('expected the locked test to exist');
  return describeTest(firewall, scope.reach, found);
}

/** As `deletePolicyTest`, inside the caller's transaction. */
export async function deletePolicyTestIn(
  tx: Tx,
  scope: Scope<'policy_test:write'>,
  id: string,
  { version, within }: { version?: number | undefined; within?: WithinChange },
): Promise<void> {
  const row = await lockOwnTest(tx, scope.reach, id);
  assertVersion('policy test', row.version, version);
  assertUnmanaged('policy_test', row, within);
  await deleteRow(tx, id);
  await publishEvent(tx, { type: 'policy_test.changed', ...toOwner(row) });
  await recordAudit(tx, scope, {
    action: 'policy_test.deleted',
    object_kind: 'policy_test',
    object_id: id,
    object_name: row.name,
    tenant_id: row.tenant_id,
    before: auditedTest(row),
  });
}

/** @throws AppError `not_found`, `forbidden` for a protected connection */
export const deletePolicyTest = (scope: Scope<'policy_test:write'>, id: string, version?: number): Promise<void> =>
  db.transaction((tx) => deletePolicyTestIn(tx, scope, id, { version }));
