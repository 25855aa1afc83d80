import { expect, it } from 'vitest';
import { type Change, SHARED_TITLE } from '@/domain/change/change';
import type { Policy } from '@/domain/policies';
import type { Timeline } from '@/domain/timeline';
import { db } from '@/server/db/client';
import { MOVED, makeMoves, makePolicy, requestAs } from '@/server/enforcement/deployments/removal/moves.fixture';
import { lab, prepareDeploymentLab } from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { findExpiryVersion, findStoringChange } from '@/server/enforcement/queries/expiries';
import { bearer, makeProject, makeUser } from '@/test/factories';
import { drive } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const THEIR_VMID = 100;
const EXPIRES = '2999-01-01T00:00:00.000Z';
const makeDefinition = (vmid: number) => ({
  enforcement_mode: 'enforced',
  sources: ['10.20.22.0/24'],
  targets: [`vmid:${lab.cluster.id}/${vmid}`],
});

const edit = ({ name, definition, rules, priority }: Policy) => ({
  ...{ name, definition, priority: priority + 1 },
  rules: rules.map(({ action, protocol, destination_ports }) => ({ action, protocol, destination_ports })),
});

type Readable = { policy: string; workload: string };

/** What a tenant reads of a change and of what it did. */
async function readAll(as: () => Promise<{ authorization: string }>, id: string, { policy, workload }: Readable) {
  const timeline = await requestAs<Timeline>(as, `/workloads/${workload}/timeline?limit=200`);
  return {
    timeline,
    change: await requestAs<Change>(as, `/changes/${id}`),
    impact: await requestAs<{ policy_name: string }>(as, `/changes/${id}/impact`),
    versions: await requestAs<{ items: { reason: string }[] }>(as, `/policies/${policy}/versions`),
    audit: await requestAs<{ items: object[] }>(as, '/audit?limit=200'),
    search: await requestAs<object>(as, `/search?q=several`),
  };
}

it('names no other owner to a tenant, wherever the tenant reads of it', async () => {
  const { ours, theirs, root, assign } = await makeMoves();
  await assign(theirs, [THEIR_VMID]);
  const policy = await makePolicy(ours, { definition: makeDefinition(MOVED) });
  const other = await makePolicy(theirs, { definition: makeDefinition(THEIR_VMID) });
  const title = 'contract of theirs with ours';
  const items = [
    ...[policy, other].map((one) => ({ kind: 'policy', policy_id: one.id, policy: edit(one) })),
    {
      kind: 'policy',
      policy: { ...edit(policy), name: 'added', tenant_id: ours.tenant.id, expires_at: EXPIRES },
    },
  ];
  const { id, version, ...drafted } = await requestAs<Change>(root, '/changes', { title, items });
  await requestAs(root, `/changes/${id}/submit`, { version });
  // Neither an author nor someone who acts for a single tenant.
  const operator = await makeUser('super_admin', undefined, { email: 'operator@platform.example' });
  const applying = () => bearer(operator);
  await requestAs(applying, `/changes/${id}/apply`, {});
  expect(await drive(id)).toBe('awaiting_confirmation');
  await requestAs(applying, `/changes/${id}/roll-back`, {});
  expect(await drive(id)).toBe('rolled_back');

  for (const [side, own, vmid] of [
    [ours, policy, MOVED],
    [theirs, other, THEIR_VMID],
  ] as const) {
    const seen = await readAll(side.as, id, { policy: own.id, workload: await lab.id(vmid) });
    for (const [what, answer] of Object.entries(seen)) expect.soft(JSON.stringify(answer), what).not.toContain(title);
    expect(seen.impact.policy_name).toBe(SHARED_TITLE);
    expect(seen.versions.items.map(({ reason }) => reason)).toEqual([
      `Rollback of the change: ${SHARED_TITLE}`,
      `Change: ${SHARED_TITLE}`,
      expect.anything(),
    ]);
    const steps = seen.timeline.items.filter(({ kind }) => kind === 'change_step');
    expect(steps.length).toBeGreaterThan(2);
    for (const step of steps) expect(step).toMatchObject({ actor_name: null, object: { name: SHARED_TITLE } });
  }
  const platform = await readAll(root, id, { policy: policy.id, workload: await lab.id(MOVED) });
  expect(platform.impact.policy_name).toBe(title);
  const steps = platform.timeline.items.filter(({ kind }) => kind === 'change_step');
  expect(steps.find(({ subject }) => subject === 'applying')).toMatchObject({
    actor_name: operator.email,
    object: { name: title },
  });

  const [added] = drafted.items.flatMap((item) => (item.kind === 'policy' && !item.before ? [item.policy_id] : []));
  const stored = await findExpiryVersion(db, added ?? '', null, EXPIRES);
  expect(stored && (await findStoringChange(db, added ?? '', stored))?.change_id).toBe(id);
});

it('names other projects of the tenant to those who see all of it only', async () => {
  const { ours, root } = await makeMoves();
  const second = await makeProject(ours.tenant);
  const make = (project_id: string, vmid: number) =>
    makePolicy(ours, { name: `of ${project_id}`, project_id, definition: makeDefinition(vmid) });
  const [first, other] = [await make(ours.project.id, MOVED), await make(second.id, THEIR_VMID)];
  const whole = await makePolicy(ours, { name: 'whole', definition: makeDefinition(MOVED) });
  const items = [first, other, whole].map((one) => ({ kind: 'policy', policy_id: one.id, policy: edit(one) }));
  const title = 'both projects';
  const { id, version } = await requestAs<Change>(root, '/changes', { title, items });
  await requestAs(root, `/changes/${id}/submit`, { version });
  await requestAs(root, `/changes/${id}/apply`, {});
  await drive(id);
  const reasons = await Promise.all(
    [first, other, whole].map(async (policy) => {
      const { items: versions } = await requestAs<{ items: { reason: string }[] }>(
        ours.as,
        `/policies/${policy.id}/versions`,
      );
      return versions[0]?.reason;
    }),
  );
  expect(reasons).toEqual([`Change: ${SHARED_TITLE}`, `Change: ${SHARED_TITLE}`, `Change: ${title}`]);
});

it('does not name a change that applied a policy as it was stored as the one of a later direct edit', async () => {
  const { ours, root } = await makeMoves();
  const policy = await makePolicy({ ...ours, as: root }, { definition: makeDefinition(THEIR_VMID) });
  const applied = await requestAs<Change>(root, '/changes/apply-policy', { policy_id: policy.id });
  await drive(applied.id);
  await requestAs(root, `/changes/${applied.id}/confirm`, {});
  await requestAs(root, `/policies/${policy.id}`, { expires_at: EXPIRES, version: policy.version }, 'PATCH');
  const stored = await findExpiryVersion(db, policy.id, null, EXPIRES);
  expect(stored?.version).toBe(policy.version + 1);
  expect(stored && (await findStoringChange(db, policy.id, stored))).toBeNull();
});
