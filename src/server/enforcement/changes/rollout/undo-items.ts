import { getTitleFor } from '@/domain/change/change';
import type { KeptOfPolicy } from '@/domain/change/items';
import type { RolloutPolicy } from '@/domain/change/rollout';
import type { DeploymentProblem } from '@/domain/deployments';
import { type Owned, toOwner } from '@/domain/permissions';
import type { PolicySnapshot } from '@/domain/policies';
import type { InventoryIndex } from '@/domain/policy/inventory-index';
import { isSameSnapshot } from '@/domain/policy/snapshot';
import { toTestContent } from '@/domain/policy-tests/definition';
import { equalJson } from '../../../audit/canonical';
import { changeScope } from '../../../auth/scope';
import type { Tx } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { conflictFromPg } from '../../../lib/pg-errors';
import { chooseOwner } from '../../../tenancy/choose-owner';
import { lockProject } from '../../../tenancy/queries/projects';
import { createSecurityGroupIn } from '../../groups/create-group';
import { deleteSecurityGroupIn, updateSecurityGroupIn } from '../../groups/groups';
import { changeMembersIn } from '../../groups/members';
import { changePolicyIn, readPolicySnapshot } from '../../policies/change-policy';
import { createPolicyIn, deletePolicyIn } from '../../policies/policies';
import { isDeployed } from '../../policies/policy-inputs';
import { createPolicyTestIn, deletePolicyTestIn, updatePolicyTestIn } from '../../policy-tests/policy-tests';
import { type ChangeRow, listChangeOwners } from '../../queries/changes';
import { isPolicyNameUsed, lockPolicy } from '../../queries/policies';
import { lockPolicyTest, policyTestNameTaken } from '../../queries/policy-tests';
import { findLastVersion, findPolicyVersions } from '../../queries/policy-versions';
import { listEligibleWorkloads, lockSecurityGroup, securityGroupNameTaken } from '../../queries/security-groups';
import type { WithinChange } from './guard';
import { createIncomplete, undoMove } from './move-workloads';
import { type Acting, type ItemOf, selectItems, storeManagers } from './store-items';

/** A name that the owner does not use: someone may have taken the former one since. */
async function chooseFreeName(name: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name.slice(0, 100)} (restored${n === 2 ? '' : ` ${n - 1}`})`;
    if (!(await isTaken(candidate))) return candidate;
  }
}

/** What a policy said when rules of it were live before a change; disabled when none were. */
export async function readFormerContent(
  tx: Tx,
  id: string,
  { version, ...content }: PolicySnapshot & { readonly version: number },
  live: Pick<RolloutPolicy, 'live_version'> | undefined,
): Promise<PolicySnapshot> {
  if (!live || !isDeployed(content) || live.live_version === version) return content;
  if (live.live_version === null) return { ...content, enabled: false };
  const stored = (await findPolicyVersions(tx, id, [live.live_version])).get(live.live_version);
  return stored?.snapshot ?? content;
}

class Undo {
  readonly problems: DeploymentProblem[] = [];
  /** What is removed from workloads of another project. */
  readonly removals: string[] = [];
  /** Deployed policies as they were before the change. */
  readonly former: ReadonlyMap<string, RolloutPolicy>;
  readonly #within: WithinChange;

  constructor(
    readonly tx: Tx,
    readonly by: Acting,
    readonly change: ChangeRow,
    readonly owners: readonly Owned[],
    readonly index: InventoryIndex,
    touched: readonly RolloutPolicy[],
  ) {
    this.former = new Map(touched.map((policy) => [policy.policy_id, policy]));
    this.#within = { change_id: change.id, undoes: true };
  }

  #getReason(owner: Owned): string {
    return `Rollback of the change: ${getTitleFor(owner, this.change.title, this.owners)}`;
  }

  get #policies() {
    return changeScope('policy:write', this.by);
  }

  get #groups() {
    return changeScope('group:write', this.by);
  }

  /**
   * Restores one object, or several that are one edit. What refuses that is noted and keeps none of the others from being restored.
   * @param outcome what becomes of the object then, such as `The group web keeps its content`
   */
  async #attempt(outcome: string, restore: (tx: Tx) => Promise<void>): Promise<void> {
    try {
      await this.tx.transaction(restore);
    } catch (error) {
      const refusal = error instanceof AppError ? error : conflictFromPg(error);
      if (!refusal) throw error;
      // Its readers may not see these policies.
      const reason = refusal.extra?.used_by === undefined ? refusal.message : 'policies use it.';
      this.problems.push(createIncomplete(`${outcome}: ${reason}`));
    }
  }

  /** The owner to which an object returns: the present one when its former project was deleted. */
  async #findFormerOwner(tx: Tx, what: string, present: Owned, project_id: string | null): Promise<Owned> {
    const isThere = project_id === null || project_id === present.project_id;
    if (isThere || (await lockProject(tx, 'all', project_id, 'key share'))) return { ...toOwner(present), project_id };
    this.problems.push(createIncomplete(`${what} stays in its project: the former one was deleted.`));
    return toOwner(present);
  }

  async #restorePolicy(
    tx: Tx,
    id: string,
    { tenant_id, project_id }: Owned,
    content: PolicySnapshot,
    expected: PolicySnapshot | null,
    kept?: KeptOfPolicy,
  ) {
    const former = { tenant_id, project_id: (this.former.get(id) ?? { project_id }).project_id };
    const row = await lockPolicy(tx, 'all', id);
    if (!row) {
      const owner = await chooseOwner(tx, 'all', former);
      const reason = this.#getReason(owner);
      const name = await chooseFreeName(content.name, (candidate) => isPolicyNameUsed(tx, owner, candidate));
      const version = (await findLastVersion(tx, id)) + 1;
      const snapshot = { ...content, name };
      await createPolicyIn(tx, this.#policies, { id, owner, snapshot, reason, version, kept });
      return;
    }
    const present = await readPolicySnapshot(tx, row);
    if (expected && !isSameSnapshot(present, expected)) {
      this.problems.push(
        createIncomplete(`${present.name} was edited since the change was applied and keeps its content.`),
      );
      return;
    }
    const owner = await this.#findFormerOwner(tx, `The policy ${present.name}`, row, former.project_id);
    const isTaken = (candidate: string) => isPolicyNameUsed(tx, owner, candidate);
    const keepsName = content.name === present.name && owner.project_id === row.project_id;
    const after = { ...content, name: keepsName ? content.name : await chooseFreeName(content.name, isTaken) };
    const guard = { reason: this.#getReason(owner), project_id: owner.project_id };
    const { removals } = await changePolicyIn(
      ...([tx, this.#policies, id, guard, 'policy.updated', () => after, this.index, this.#within] as const),
    );
    this.removals.push(...removals);
  }

  async moves(): Promise<void> {
    for (const item of selectItems(this.change.items, 'move')) {
      const names = item.workloads.map(({ name }) => name).join(', ');
      await this.#attempt(`The project of ${names} stays`, async (tx) => {
        const { problems, removals } = await undoMove(tx, this.by, item);
        this.problems.push(...problems);
        this.removals.push(...removals);
      });
    }
  }

  residualRemovals(): void {
    const names = selectItems(this.change.items, 'residual_removal').map(({ name }) => name);
    if (names.length === 0) return;
    const message = `Residual rules of ${names.join(', ')} cannot be restored: no policy requires them there any more.`;
    this.problems.push(createIncomplete(message));
  }

  async policies(): Promise<void> {
    const live = this.former;
    const done = new Set<string>();
    // What was created may have the name that something else gets back.
    for (const item of selectItems(this.change.items, 'policy')) {
      if (item.before) continue;
      done.add(item.policy_id);
      await this.#attempt(`The policy ${item.name} is not deleted`, async (tx) => {
        if (!(await lockPolicy(tx, 'all', item.policy_id))) return;
        await deletePolicyIn(tx, this.#policies, item.policy_id, { reason: this.#getReason(item) }, this.#within);
      });
    }
    for (const item of selectItems(this.change.items, 'policy')) {
      const { policy_id: id, before, after } = item;
      if (!before) continue;
      done.add(id);
      const former = { ...toOwner(item), ...item.moved_from };
      await this.#attempt(`The policy ${item.name} keeps its content`, async (tx) =>
        this.#restorePolicy(tx, id, former, await readFormerContent(tx, id, before, live.get(id)), after),
      );
    }
    for (const item of selectItems(this.change.items, 'policy_delete')) {
      const { policy_id: id, before, kept } = item;
      done.add(id);
      await this.#attempt(`The policy ${item.name} is not restored`, async (tx) =>
        this.#restorePolicy(tx, id, toOwner(item), await readFormerContent(tx, id, before, live.get(id)), null, kept),
      );
    }
    // Policies that name an edited group and that no item edits.
    for (const policy of [...live.values()].filter(({ policy_id }) => !done.has(policy_id))) {
      await this.#attempt(`The policy ${policy.name} keeps its content`, async (tx) => {
        const row = await lockPolicy(tx, 'all', policy.policy_id);
        if (!row) return;
        const before = { ...(await readPolicySnapshot(tx, row)), version: row.version };
        await this.#restorePolicy(tx, row.id, toOwner(row), await readFormerContent(tx, row.id, before, policy), null);
      });
    }
  }

  async #existing(tx: Tx, groupId: string, ids: readonly string[]): Promise<string[]> {
    const group = await lockSecurityGroup(tx, 'all', groupId);
    if (!group) return [];
    const found = await listEligibleWorkloads(tx, 'all', group, ids);
    return found.filter(({ eligible }) => eligible).map(({ id }) => id);
  }

  async #restoreGroup(tx: Tx, { group_id: id, before, ...item }: ItemOf<'group'>): Promise<void> {
    const row = await lockSecurityGroup(tx, 'all', id);
    if (!before) {
      if (row) await deleteSecurityGroupIn(tx, this.#groups, id, { rollout: this.#within });
      return;
    }
    const { version: _, ...content } = before;
    const isTaken = (owner: Owned) => (candidate: string) => securityGroupNameTaken(tx, owner, candidate);
    if (!row) {
      const owner = await chooseOwner(tx, 'all', { ...toOwner(item), ...item.moved_from });
      const name = await chooseFreeName(content.name, isTaken(owner));
      return createSecurityGroupIn(tx, this.#groups, { id, ...owner, ...content, name }, []);
    }
    // Someone else may have moved it on since.
    const back = row.project_id === item.project_id ? item.moved_from?.project_id : undefined;
    const owner = await this.#findFormerOwner(
      tx,
      `The group ${row.name}`,
      row,
      back === undefined ? row.project_id : back,
    );
    const keepsName = content.name === row.name && owner.project_id === row.project_id;
    const name = keepsName ? content.name : await chooseFreeName(content.name, isTaken(owner));
    const { project_id } = owner;
    await updateSecurityGroupIn(tx, this.#groups, id, { ...content, project_id, name }, this.#within);
  }

  async #restoreDeletedGroup(tx: Tx, { group_id: id, before, ...item }: ItemOf<'group_delete'>): Promise<void> {
    const { version: _, ...content } = before;
    const owner = await chooseOwner(tx, 'all', toOwner(item));
    const name = await chooseFreeName(content.name, (candidate) => securityGroupNameTaken(tx, owner, candidate));
    await createSecurityGroupIn(tx, this.#groups, { id, ...owner, ...content, name }, []);
    const members = { add: await this.#existing(tx, id, item.removed ?? item.remove), remove: [] };
    await changeMembersIn(tx, this.#groups, id, members, { rollout: this.#within });
  }

  async groups(): Promise<void> {
    for (const { group_id: id, name, ...item } of selectItems(this.change.items, 'group_members')) {
      const { added = item.add, removed = item.remove } = item;
      await this.#attempt(`The group ${name} keeps its members`, async (tx) => {
        if (!(await lockSecurityGroup(tx, 'all', id))) {
          this.problems.push(createIncomplete(`The group ${name} was deleted since the change was applied.`));
          return;
        }
        const members = { add: await this.#existing(tx, id, removed), remove: [...added] };
        await changeMembersIn(tx, this.#groups, id, members, { rollout: this.#within });
      });
    }
    // A policy of someone else may name a group by now.
    for (const item of selectItems(this.change.items, 'group')) {
      await this.#attempt(`The group ${item.name} keeps its content`, (tx) => this.#restoreGroup(tx, item));
    }
    for (const item of selectItems(this.change.items, 'group_delete')) {
      await this.#attempt(`The group ${item.name} is not restored`, (tx) => this.#restoreDeletedGroup(tx, item));
    }
  }

  async #restoreTest(
    tx: Tx,
    { policy_test_id: id, name: applied, before, after }: ItemOf<'policy_test'>,
  ): Promise<void> {
    const scope = changeScope('policy_test:write', this.by);
    const row = await lockPolicyTest(tx, 'all', id);
    if (!row) {
      if (before)
        this.problems.push(createIncomplete(`The policy test ${applied} was deleted since the change was applied.`));
      return;
    }
    if (!equalJson(toTestContent(row), after)) {
      this.problems.push(
        createIncomplete(`The policy test ${row.name} was edited since the change was applied and keeps its content.`),
      );
    } else if (before) {
      const { version: _, ...content } = before;
      const isTaken = (candidate: string) => policyTestNameTaken(tx, row, candidate);
      const name = content.name === row.name ? content.name : await chooseFreeName(content.name, isTaken);
      await updatePolicyTestIn(tx, scope, null, id, { ...content, name }, this.#within);
    } else await deletePolicyTestIn(tx, scope, id, { within: this.#within });
  }

  async tests(): Promise<void> {
    const scope = changeScope('policy_test:write', this.by);
    for (const item of selectItems(this.change.items, 'policy_test')) {
      await this.#attempt(`The policy test ${item.name} keeps its content`, (tx) => this.#restoreTest(tx, item));
    }
    for (const { policy_test_id: id, before, ...item } of selectItems(this.change.items, 'policy_test_delete')) {
      await this.#attempt(`The policy test ${item.name} is not restored`, async (tx) => {
        const { version: _, ...content } = before;
        const owner = await chooseOwner(tx, 'all', toOwner(item));
        const name = await chooseFreeName(content.name, (candidate) => policyTestNameTaken(tx, owner, candidate));
        await createPolicyTestIn(tx, scope, null, { id, ...owner, ...content, name });
      });
    }
  }
}

/** Has those manage the objects who did before the change. */
async function restoreManagers(tx: Tx, by: Acting, { managed_by, items }: ChangeRow): Promise<void> {
  if (!managed_by) return;
  await storeManagers(tx, by, items, (item) => ('managed_from' in item ? (item.managed_from ?? null) : null));
}

/**
 * Stores the former content of everything that a change changed, as new versions. What someone else edited since keeps their
 * content, and so does what can no longer be restored, such as a policy of a deleted project.
 * @returns what stays as it is, and removals to start
 */
export async function undoItems(
  tx: Tx,
  by: Acting,
  change: ChangeRow,
  index: InventoryIndex,
  touched: readonly RolloutPolicy[],
): Promise<{ problems: DeploymentProblem[]; removals: string[] }> {
  const undo = new Undo(tx, by, change, await listChangeOwners(tx, change.id), index, touched);
  // Their locks come before that of the audit trail.
  await undo.moves();
  undo.residualRemovals();
  await undo.policies();
  await undo.groups();
  await undo.tests();
  await restoreManagers(tx, by, change);
  return undo;
}
