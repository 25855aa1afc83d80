import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { ChangeItem } from '@/domain/change/items';
import { makeMoves, requestAs } from '@/server/enforcement/deployments/removal/moves.fixture';
import {
  apply as applyPolicy,
  create,
  get,
  lab,
  post,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { AppError } from '@/server/lib/errors';
import { rollBackChange } from './decide-change';
import { apply, drive, edit, makeChange, readRow, scope, targets } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const ROUNDS = [0, 1, 2];
const OWNER = { tenant_id: null, project_id: null };
type Group = { id: string; name: string; version: number };

const addGroup = async (name: string): Promise<Group> =>
  (await post<Group>('/security-groups', { name, workload_ids: [await lab.id(100)] })).body;

/** An edit that adds a workload to a group. */
const addMember = async ({ id, name, version }: Group, vmid: number): Promise<ChangeItem> => ({
  ...{ kind: 'group_members', group_id: id, name, ...OWNER, base_version: version },
  ...{ add: [await lab.id(vmid)], remove: [] },
});

/** What became of requests that were sent at the same time: ok, or the reason of the refusal; anything else is an error. */
async function settle(requests: readonly Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(requests);
  return results
    .map((result) => {
      if (result.status === 'fulfilled') return 'ok';
      if (!(result.reason instanceof AppError)) throw result.reason;
      return String(result.reason.extra?.reason ?? result.reason.code);
    })
    .sort();
}

describe('changes that start at the same time', () => {
  it.each(ROUNDS)('roll out a policy that both touch through groups once only (%i)', async (round) => {
    const groups = [await addGroup(`left ${round}`), await addGroup(`right ${round}`)];
    const named = { ...targets().definition, targets: groups.map(({ name }) => `sg:${name}`) };
    await applyPolicy(await create({ definition: named }));
    const ids = await Promise.all(groups.map(async (group) => makeChange([await addMember(group, 102)])));
    expect(await settle(ids.map((id) => apply(id)))).toEqual(['change_in_progress', 'ok']);
    const states = await Promise.all(ids.map(async (id) => (await readRow(id)).state));
    expect(states.sort()).toEqual(['applying', 'approved']);
  });

  it.each(ROUNDS)(
    'roll out a policy that one edits and the other touches through a group once only (%i)',
    async (round) => {
      const group = await addGroup(`edge ${round}`);
      const named = { ...targets().definition, targets: [`sg:${group.name}`] };
      const policy = await create({ definition: named });
      await applyPolicy(policy);
      const stored = await get<typeof policy>(`/policies/${policy.id}`);
      const edited = await makeChange([edit(stored, { rules: stored.rules.slice(0, 1) })]);
      const regrouped = await makeChange([await addMember(group, 102)]);
      expect(await settle([apply(regrouped), apply(edited)])).toEqual(['change_in_progress', 'ok']);
    },
  );

  it.each(ROUNDS)('do not deadlock, in whatever order their edits are (%i)', async () => {
    const policies = [await create(targets(100)), await create(targets(102)), await create(targets(105))];
    const items = policies.map((policy) => edit(policy, { priority: 7 }));
    const ids = [await makeChange(items), await makeChange(items.toReversed()), await makeChange(items.toReversed())];
    const answers = await settle(ids.map((id) => apply(id)));
    expect(answers.filter((answer) => answer === 'ok')).toHaveLength(1);
  });

  it('move a workload once only', async () => {
    const { theirs, root, workload } = await makeMoves();
    const item = { kind: 'move', workload_ids: [workload], project_id: theirs.project.id };
    const ids: string[] = [];
    for (const title of ['first', 'second']) {
      const { id } = await requestAs<Change>(root, '/changes', { title, items: [item] });
      await requestAs(root, `/changes/${id}/submit`, {});
      ids.push(id);
    }
    expect(await settle(ids.map((id) => apply(id)))).toEqual(['change_in_progress', 'ok']);
  });

  it('wait for a rollback of the same policies, and do not deadlock with it', async () => {
    const policies = [await create(targets(100)), await create(targets(102)), await create(targets(105))];
    const items = policies.map((policy) => edit(policy, { priority: 7 }));
    const back = await makeChange(items.toReversed());
    await apply(back);
    expect(await drive(back)).toBe('awaiting_confirmation');
    const next = await makeChange(items);
    const answers = await settle([
      ...ROUNDS.map(() => apply(next)),
      rollBackChange(scope, back, {}),
      ...policies.map(({ id }) => post(`/policies/${id}/apply`)),
    ]);
    expect(answers.filter((answer) => answer === 'ok')).toHaveLength(1 + policies.length);
    expect(await drive(back)).toBe('rolled_back');
  });

  it.each(ROUNDS)('answer all that apply the same policy: one starts, the others are refused (%i)', async () => {
    const policy = await create(targets(100));
    const answers = await Promise.all(
      ['/changes/apply-policy', '/changes/apply-policy', '/changes/apply-policy'].map((path) =>
        post<{ reason?: string }>(path, { policy_id: policy.id }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.reason]).sort()).toEqual([
      [202, undefined],
      [409, 'change_in_progress'],
      [409, 'change_in_progress'],
    ]);
  });
});
