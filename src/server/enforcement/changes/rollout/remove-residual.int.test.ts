import { expect, it } from 'vitest';
import type { Change, ChangeCreate } from '@/domain/change/change';
import type { ChangeDifference } from '@/domain/change/difference';
import {
  apply as applyPolicy,
  MOVED,
  makeMoves,
  makePolicy,
  removals,
  requestAs,
  runRemovals,
  STAYS,
} from '@/server/enforcement/deployments/removal/moves.fixture';
import {
  lab,
  policyRuleLines,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { compileChange, listSubjects } from '../compiled/compile-change';
import { apply, drive, readLive, readRow } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

/** A workload that moved, with rules of its new tenant, and rules of its former one that are kept. */
async function prepare() {
  const moves = await makeMoves();
  const { ours, theirs, assign, workload } = moves;
  const policy = await makePolicy(ours);
  await applyPolicy(ours, policy);
  await assign(theirs, [MOVED]);
  await lab.sql`update deployments set status = 'failed', finished_at = now() where kind = 'removal'`;
  await lab.sql`update residual_rules set mode = 'keep'`;
  const rules = [{ action: 'accept', protocol: 'tcp', destination_ports: ['80'] }];
  const own = await makePolicy(theirs, { name: 'own policy', rules });
  await applyPolicy(theirs, own);
  expect([policy, own].map((one) => policyRuleLines(MOVED, one).length)).toEqual([1, 1]);
  const item = { kind: 'residual_removal', workload_id: workload } as const;
  return { ...moves, policy, own, item };
}

const countResiduals = async () => (await lab.sql`select 1 from residual_rules`).length;

it('follows from a refused request, is reviewed, and removes nothing but residual rules', async () => {
  const { ours, theirs, root, workload, policy, own, item } = await prepare();
  const reviewer = await makeUser('admin', theirs.tenant);
  await requestAs(root, `/tenants/${theirs.tenant.id}`, { approvals_required: 1 }, 'PATCH');
  const path = `/workloads/${workload}/residual-rules/remove`;
  const refused = await call(path, { method: 'POST', headers: await theirs.as(), body: {} });
  const { reason, change } = (await refused.json()) as { reason: string; change: ChangeCreate };
  expect([refused.status, reason, change.items]).toEqual([409, 'approval_required', [item]]);

  await expect(requestAs(ours.as, '/changes', change)).rejects.toThrow(/404.*items\.0\.workload_id/s);
  const elsewhere = { ...change, items: [{ ...item, workload_id: await lab.id(STAYS) }] };
  await expect(requestAs(ours.as, '/changes', elsewhere)).rejects.toThrow(/no residual rules/);
  const { id, ...draft } = await requestAs<Change>(theirs.as, '/changes', change);
  expect(draft.items).toEqual([{ ...item, name: expect.any(String), ...toIds(theirs), base_version: null }]);
  await expect(requestAs(ours.as, `/changes/${id}`)).rejects.toThrow('404');
  const seen = await requestAs<ChangeDifference>(theirs.as, `/changes/${id}/difference`);
  expect(seen.workloads).toMatchObject([{ vmid: MOVED, changes: { added: [], removed: [{}], moved: [] } }]);
  expect(JSON.stringify([draft, seen])).not.toMatch(new RegExp(`${policy.id}|shop policy|secret`));

  await requestAs(theirs.as, `/changes/${id}/submit`, {});
  await expect(requestAs(theirs.as, `/changes/${id}/apply`, {})).rejects.toThrow('409');
  await requestAs(() => bearer(reviewer), `/changes/${id}/approve`, {});
  const compiled = await compileChange((await readRow(id)).items);
  const predicted = compiled.change.after.snapshots.guests.get(workload);
  // Whose policy tests can stop it.
  expect(listSubjects(compiled)).toMatchObject([{ id: workload, ...toIds(theirs) }]);
  const before = { own: policyRuleLines(MOVED, own), stays: readLive(STAYS) };
  await requestAs(theirs.as, `/changes/${id}/apply`, {});
  expect(await drive(id)).toBe('applying');
  await runRemovals();
  expect(await drive(id)).toBe('awaiting_confirmation');
  expect([policyRuleLines(MOVED, policy), await countResiduals()]).toEqual([[], 0]);
  expect({ own: policyRuleLines(MOVED, own), stays: readLive(STAYS) }).toEqual(before);
  expect(readLive(MOVED).rules).toHaveLength(predicted?.state.rules?.length ?? -1);
  const [{ total } = {}] = await lab.sql`select count(*)::int as total from audit_records
    where action = 'workload.residual_removal_requested' and tenant_id = ${theirs.tenant.id}`;
  expect(total).toBe(1);

  await requestAs(theirs.as, `/changes/${id}/roll-back`, {});
  expect(await drive(id)).toBe('rolled_back');
  expect(policyRuleLines(MOVED, policy)).toEqual([]);
  const { name } = draft.items[0] ?? {};
  expect((await readRow(id)).problems).toEqual([
    expect.objectContaining({ code: 'rollback_incomplete', message: expect.stringContaining(name ?? '?') }),
  ]);
});

const toIds = ({ tenant, project }: { tenant: { id: string }; project: { id: string } }) => ({
  tenant_id: tenant.id,
  project_id: project.id,
});

it('starts with one of several changes that start at the same time', async () => {
  const { root, item } = await prepare();
  const ids: string[] = [];
  for (const title of ['first', 'second']) {
    const { id } = await requestAs<Change>(root, '/changes', { title, items: [item] });
    await requestAs(root, `/changes/${id}/submit`, {});
    ids.push(id);
  }
  const results = await Promise.allSettled(ids.map((id) => apply(id)));
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { extra: { reason: 'change_in_progress' } },
  });
});

it('comes before what the change writes there, is not reverted, and is refused for another owner', async () => {
  const { ours, root, assign, policy, own, item } = await prepare();
  const draft = async (items: object[]) => {
    const { id } = await requestAs<Change>(root, '/changes', { title: 'tidy up', items });
    await requestAs(root, `/changes/${id}/submit`, {});
    return id;
  };
  const { definition } = own;
  const rules = [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }];
  const edit = { kind: 'policy', policy_id: own.id, policy: { name: own.name, definition, rules } };
  const [stale, both] = [await draft([item]), await draft([item, edit])];
  const { fingerprint } = await requestAs<ChangeDifference>(root, `/changes/${both}/difference?refresh=true`);
  await requestAs(root, `/changes/${both}/apply`, { fingerprint });
  expect(await drive(both)).toBe('applying');
  expect(policyRuleLines(MOVED, own).join()).not.toContain('443');
  await runRemovals();
  expect(await drive(both)).toBe('awaiting_confirmation');
  expect(policyRuleLines(MOVED, own).join()).toContain('443');
  expect([policyRuleLines(MOVED, policy), await removals()]).toEqual([[], []]);
  await requestAs(root, `/changes/${both}/confirm`, {});
  const revert = await requestAs<Change>(root, `/changes/${both}/revert`, {});
  expect(revert.items.map(({ kind }) => kind)).toEqual(['policy']);
  await lab.sql`update changes set items = items - 1 where id = ${both}`;
  await expect(requestAs(root, `/changes/${both}/revert`, {})).rejects.toThrow(/409.*cannot be restored/s);

  await assign(ours, [MOVED]);
  await expect(requestAs(root, `/changes/${stale}/apply`, {})).rejects.toThrow(/409.*got another project/s);
});
