import type { ChangeEdit, ChangeItem } from '@/domain/change/items';
import { type Owned, type Reach, toOwner } from '@/domain/permissions';
import { toTestContent } from '@/domain/policy-tests/definition';
import { AppError } from '../../../lib/errors';
import { newId } from '../../../lib/ids';
import { assertVersion, refuseField } from '../../../lib/refusals';
import { chooseOwner } from '../../../tenancy/choose-owner';
import { pinTestGroups } from '../../groups/pin-groups';
import { assertEnds } from '../../policy-tests/policy-tests';
import { lockPolicyTest, type PolicyTestRow, policyTestNameTaken } from '../../queries/policy-tests';
import { authorizeTests, type ItemContext, type NormalItem, objectNotFound } from './item-context';

type Given<K extends ChangeEdit['kind']> = Extract<ChangeEdit, { kind: K }>;
type TestItem = Extract<ChangeItem, { kind: 'policy_test' }>;

/** A test as it is stored. @throws AppError `not_found`, `version_conflict`; `refused` for a protected connection */
async function readStored(
  { tx }: ItemContext,
  reach: Reach,
  at: number,
  { policy_test_id: id, base_version }: { policy_test_id: string; base_version?: number | undefined },
): Promise<PolicyTestRow> {
  const row = await lockPolicyTest(tx, reach, id);
  if (!row) throw objectNotFound('policy test', at);
  if (row.protected) {
    throw refuseField(
      `items.${at}.policy_test_id`,
      `${row.name} is a protected connection. Change it under Protected connections.`,
    );
  }
  assertVersion('policy test', row.version, base_version, { policy_test_id: id, current: toTestContent(row) });
  return row;
}

async function assertNameFree({ tx }: ItemContext, at: number, owner: Owned, name: string): Promise<void> {
  if (!(await policyTestNameTaken(tx, owner, name))) return;
  throw new AppError('conflict', `A policy test named ${name} already exists.`, {
    errors: [{ field: `items.${at}.test.name`, message: 'Choose another name.' }],
  });
}

/** The edit of a policy test, or a new one. */
export async function normalizePolicyTest(
  context: ItemContext,
  at: number,
  { policy_test_id, base_version, test }: Given<'policy_test'>,
): Promise<NormalItem<'policy_test'>> {
  const { reach } = authorizeTests(context);
  const asked = toTestContent(test);
  const former = context.former.find(
    (item): item is TestItem => item.kind === 'policy_test' && item.policy_test_id === policy_test_id,
  );
  if (policy_test_id === undefined || former?.before === null) {
    const owner = await chooseOwner(context.tx, reach, test);
    const after = await pinTestGroups(context.tx, owner, asked);
    assertEnds(owner, after);
    await assertNameFree(context, at, owner, after.name);
    const id = former?.policy_test_id ?? newId();
    const created = { kind: 'policy_test', policy_test_id: id, name: after.name, ...owner } as const;
    return { item: { ...created, base_version: null, before: null, after }, owners: [owner] };
  }
  const row = await readStored(context, reach, at, { policy_test_id, base_version });
  for (const field of ['tenant_id', 'project_id'] as const) {
    if (test[field] === undefined || test[field] === row[field]) continue;
    throw refuseField(`items.${at}.test.${field}`, 'A policy test keeps its owner. Leave this field out.');
  }
  const after = await pinTestGroups(context.tx, row, asked);
  assertEnds(row, after);
  if (after.name !== row.name) await assertNameFree(context, at, row, after.name);
  const before = { ...toTestContent(row), version: row.version };
  const edited = { kind: 'policy_test', policy_test_id, name: after.name, ...toOwner(row) } as const;
  return { item: { ...edited, base_version: row.version, before, after }, owners: [toOwner(row)] };
}

/** The deletion of a policy test. */
export async function normalizePolicyTestDeletion(
  context: ItemContext,
  at: number,
  given: Given<'policy_test_delete'>,
): Promise<NormalItem<'policy_test_delete'>> {
  const row = await readStored(context, authorizeTests(context).reach, at, given);
  const { id: policy_test_id, name, version } = row;
  const before = { ...toTestContent(row), version };
  return {
    item: { kind: 'policy_test_delete', policy_test_id, name, ...toOwner(row), base_version: version, before },
    owners: [toOwner(row)],
  };
}
