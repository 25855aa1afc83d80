import { expect, it } from 'vitest';
import { type Change, SHARED_TITLE } from '@/domain/change/change';
import type { ChangeDifference } from '@/domain/change/difference';
import {
  apply as applyPolicy,
  MOVED,
  makeMoves,
  makePolicy,
  requestAs,
  runRemovals,
} from '@/server/enforcement/deployments/removal/moves.fixture';
import {
  lab,
  policyRuleLines,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { readFirewallState } from '@/server/enforcement/policies/firewall-state/read-firewall-state';
import { compileChange } from '../compiled/compile-change';
import { drive, readLive, readRow } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const readProject = async (id: string) =>
  (await lab.sql`select project_id, project_assigned_by from workloads where id = ${id}`)[0];

async function finish(id: string) {
  await runRemovals();
  const state = await drive(id);
  await runRemovals();
  return state;
}

/** Two tenants with a live policy each; that of the other one is for everything that it has. */
async function prepare() {
  const moves = await makeMoves();
  const { ours, theirs, assign } = moves;
  await assign(theirs, [100]);
  await lab.sql`update workloads set tags = '{shared}' where vmid in (100, ${MOVED})`;
  const policy = await makePolicy(ours);
  await applyPolicy(ours, policy);
  const definition = { enforcement_mode: 'enforced', sources: ['10.9.0.0/16'], targets: ['tag:shared'] };
  const wide = await makePolicy(theirs, { name: 'wide', definition });
  await applyPolicy(theirs, wide);
  return { ...moves, policy, wide };
}

it('moves workloads as it was compiled, and returns them with their rules', async () => {
  const { ours, theirs, root, workload, policy, wide } = await prepare();
  const before = readLive(MOVED);
  const item = { kind: 'move', workload_ids: [workload], project_id: theirs.project.id };
  const title = 'move to their project';
  const { id, version } = await requestAs<Change>(root, '/changes', { title, items: [item] });
  for (const { as } of [ours, theirs]) {
    const seen = await requestAs<Change>(as, `/changes/${id}`);
    expect(seen).toMatchObject({ title: SHARED_TITLE, items: [], hidden_items: 1 });
    await expect(requestAs(as, '/changes', { title, items: [item] })).rejects.toThrow(/40[34]/);
  }
  const countAs = async (as: typeof root) =>
    (await requestAs<{ total: number }>(as, `/changes?workload_id=${workload}`)).total;
  // The other tenant sees the change, but not the workload.
  expect([await countAs(root), await countAs(ours.as), await countAs(theirs.as)]).toEqual([1, 1, 0]);
  const seen = await requestAs<ChangeDifference>(root, `/changes/${id}/difference`);
  expect(seen.workloads.map(({ vmid, changes }) => [vmid, changes.added.length, changes.removed.length])).toEqual([
    [MOVED, 1, 1],
  ]);
  const compiled = await compileChange((await readRow(id)).items);
  const predicted = compiled.change.after.snapshots.guests.get(workload)?.state;
  expect(compiled.differing.map(({ workload_id }) => workload_id)).toEqual([workload]);

  await requestAs(root, `/changes/${id}/submit`, { version });
  await requestAs(root, `/changes/${id}/apply`, {});
  expect(await finish(id)).toBe('awaiting_confirmation');
  expect(await readProject(workload)).toEqual({ project_id: theirs.project.id, project_assigned_by: 'hand' });
  expect([policy, wide].map((one) => policyRuleLines(MOVED, one).length)).toEqual([0, 1]);
  const now = await readFirewallState();
  expect(now.snapshots.guests.get(workload)?.state.rules).toEqual(predicted?.rules);
  expect(now.inputs.index).toEqual(compiled.inputs.index);

  await requestAs(root, `/changes/${id}/roll-back`, {});
  expect(await finish(id)).toBe('rolled_back');
  expect(await readProject(workload)).toEqual({ project_id: ours.project.id, project_assigned_by: 'hand' });
  expect(readLive(MOVED)).toEqual(before);
  expect((await readRow(id)).problems).toEqual([]);

  // Listed for the workload once it is reviewed, and after it was written.
  const items = [{ kind: 'policy_delete', policy_id: policy.id }];
  const deletion = await requestAs<Change>(ours.as, '/changes', { title, items });
  expect(await countAs(ours.as)).toBe(1);
  await requestAs(ours.as, `/changes/${deletion.id}/submit`, {});
  expect(await countAs(ours.as)).toBe(2);
  await requestAs(ours.as, `/changes/${deletion.id}/apply`, {});
  expect(await finish(deletion.id)).toBe('awaiting_confirmation');
  expect(await countAs(ours.as)).toBe(2);
});

it('leaves alone what someone else moved on since, and is reverted by a move back', async () => {
  const { ours, theirs, root, workload, assign } = await prepare();
  const change = async (project_id: string | null) => {
    const items = [{ kind: 'move', workload_ids: [workload], project_id }];
    const { id } = await requestAs<Change>(root, '/changes', { title: 'move', items });
    await requestAs(root, `/changes/${id}/submit`, {});
    return id;
  };
  const stale = await change(null);
  const kept = await change(theirs.project.id);
  await requestAs(root, `/changes/${kept}/apply`, {});
  expect(await finish(kept)).toBe('awaiting_confirmation');
  await expect(requestAs(root, `/changes/${stale}/apply`, {})).rejects.toThrow('409');
  await requestAs(root, `/changes/${kept}/confirm`, {});
  const revert = await requestAs<Change>(root, `/changes/${kept}/revert`, {});
  expect(revert.items).toMatchObject([{ kind: 'move', to: { id: ours.project.id }, workloads: [{ id: workload }] }]);

  await requestAs(root, `/changes/${revert.id}/submit`, {});
  await requestAs(root, `/changes/${revert.id}/apply`, {});
  expect(await finish(revert.id)).toBe('awaiting_confirmation');
  await assign(theirs, [MOVED]);
  await requestAs(root, `/changes/${revert.id}/roll-back`, {});
  await finish(revert.id);
  expect((await readRow(revert.id)).problems).toMatchObject([{ code: 'rollback_incomplete' }]);
  expect(await readProject(workload)).toMatchObject({ project_id: theirs.project.id });
});
