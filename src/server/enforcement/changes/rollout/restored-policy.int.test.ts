import { expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { Recertification } from '@/domain/recertification';
import { requestAs } from '@/server/enforcement/deployments/removal/moves.fixture';
import {
  apply as applyPolicy,
  at,
  create,
  DEFINITION,
  get,
  lab,
  post,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { bearer, makeUser } from '@/test/factories';
import { confirmChange, rollBackChange } from './decide-change';
import { apply, drive, makeChange, readLive, readRow, remove, scope } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const rule = (action: string) => ({ action, protocol: 'tcp', destination_ports: ['8001'] });

/** Two policies of equal priority, of which the first decides; it was confirmed by someone who is deleted, and is overdue again. */
async function preparePair() {
  const definition = { ...DEFINITION, targets: [at(100)] };
  const first = await create({ name: `zz first ${Date.now()}`, definition, rules: [rule('accept')] });
  const second = await create({ definition, rules: [rule('drop')] });
  await lab.sql`update policies set created_at = now() - interval '500 days' where id = ${first.id}`;
  const admin = await makeUser('super_admin');
  await requestAs(() => bearer(admin), '/settings', { policy_recertification_days: 90 }, 'PATCH');
  const users = [await makeUser('admin'), await makeUser('admin')];
  for (const [n, user] of users.entries()) {
    await lab.sql`insert into recertifications (id, policy_id, policy_version, confirmed_at, user_id, user_name, note)
      values (gen_random_uuid(), ${first.id}, 1, now() - make_interval(days => ${400 - 100 * n}), ${user.id}, ${user.email}, ${`note ${n}`})`;
  }
  for (const policy of [first, second]) await applyPolicy(policy);
  const read = async () => {
    const [row] = await lab.sql`select created_at, priority, name from policies where id = ${first.id}`;
    const confirmations = await lab.sql`select policy_version, confirmed_at, user_name, note, user_id
      from recertifications where policy_id = ${first.id} order by confirmed_at`;
    const { items } = await get<{ items: Recertification[] }>('/recertifications?limit=200');
    const due = items.find(({ id }) => id === first.id);
    return {
      row: row && { ...row },
      confirmations: confirmations.map((one) => ({
        ...one,
        user_id: one.user_id === users[0]?.id ? null : one.user_id,
      })),
      due: due && { status: due.status, due_at: due.due_at, confirmed_by: due.confirmed_by },
      live: readLive(100),
    };
  };
  const before = await read();
  const id = await makeChange([remove(first)]);
  await apply(id);
  expect(await drive(id)).toBe('awaiting_confirmation');
  await lab.sql`delete from users where id = ${users[0]?.id ?? ''}`;
  return { id, first, before, read };
}

it('returns a deleted policy to its place and its recertification when the change is rolled back', async () => {
  const { id, before, read } = await preparePair();
  expect(before.due?.status).toBe('overdue');
  await rollBackChange(scope, id, {});
  expect(await drive(id)).toBe('rolled_back');
  expect((await readRow(id)).problems).toEqual([]);
  expect(await read()).toEqual(before);
});

it('returns a deleted policy to its place and its recertification when the change is reverted, as it was compiled', async () => {
  const { id, first, before, read } = await preparePair();
  await confirmChange(scope, id, {});
  const { status, body: draft } = await post<Change>(`/changes/${id}/revert`);
  expect(status).toBe(201);
  // The draft is edited once more.
  const { rules, ...content } = first;
  const policy = {
    ...{ name: content.name, description: 'back again', priority: content.priority, definition: content.definition },
    rules: rules.map(({ action, protocol, destination_ports }) => ({ action, protocol, destination_ports })),
  };
  const edited = await lab.json(`/changes/${draft.id}`, {
    method: 'PATCH',
    body: { version: draft.version, items: [{ kind: 'policy', policy_id: first.id, policy }] },
  });
  expect(edited.status).toBe(200);
  expect((await post(`/changes/${draft.id}/submit`)).status).toBe(200);
  await apply(draft.id);
  expect(await drive(draft.id)).toBe('awaiting_confirmation');
  expect(await read()).toEqual(before);
  await confirmChange(scope, draft.id, {});
});
