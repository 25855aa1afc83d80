import type { Owned } from '@/domain/permissions';
import { getOwnerId } from '@/domain/policy/acts-on';
import { indexGroups } from '@/domain/policy/inventory-index';
import { pinGroup, readGroupName } from '@/domain/policy/pin-group';
import type { Executor } from '../../db/client';
import { listGroupsNamed } from '../queries/security-groups';

/** Endpoints of a policy or test of this owner as they are stored: groups of tenants by id. At most one query. */
async function pinGroups<T extends readonly string[]>(executor: Executor, owner: Owned, lists: readonly T[]) {
  const names = owner.tenant_id === null ? lists.flat().flatMap((text) => readGroupName(text) ?? []) : [];
  if (names.length === 0) return lists;
  const groups = indexGroups((await listGroupsNamed(executor, names)).map((row) => ({ ...row, workload_ids: [] })));
  return lists.map((list) => list.map((text) => pinGroup(text, groups, getOwnerId(owner))));
}

type Definition = { readonly sources: readonly string[]; readonly targets: readonly string[] };

/** What a policy of this owner filters, with its endpoints as they are stored. At most one query. */
export async function pinPolicyGroups<T extends Definition>(
  executor: Executor,
  owner: Owned,
  definition: T,
): Promise<T> {
  const [sources, targets] = await pinGroups(executor, owner, [definition.sources, definition.targets]);
  return { ...definition, sources, targets };
}

/** A policy test of this owner with its ends as they are stored. At most one query. */
export async function pinTestGroups<T extends { readonly from: readonly string[]; readonly to: readonly string[] }>(
  executor: Executor,
  owner: Owned,
  test: T,
): Promise<T> {
  const [from, to] = await pinGroups(executor, owner, [test.from, test.to]);
  return { ...test, from, to };
}
