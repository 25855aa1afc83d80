import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { defaultTier } from '@/domain/policy/tier';
import { db, sqlClient } from '@/server/db/client';
import { policies, policyVersions } from '@/server/db/schema/policies';
import { policyTests } from '@/server/db/schema/policy-tests';
import { recordMigratedVersions } from '@/server/enforcement/policies/history';
import { newId } from '@/server/lib/ids';
import { bearer, makeTwoTenants, makeUser } from '@/test/factories';
import { callJson } from '@/test/request';

type Stored = { id: string; version: number; definition: { sources: string[]; targets: string[] }; from: string[] };
type Preview = { clusters: { guests: { workload_id: string }[] }[]; unresolved: { reason: string }[] };

let admin: Record<string, string>;
let serial = 0;
beforeAll(async () => {
  admin = await bearer(await makeUser('super_admin'));
});

const createGroup = async (name: string, headers: Record<string, string>, workload_ids: string[] = []) => {
  const { status, body } = await callJson<{ id: string }>('/security-groups', headers, {
    body: { name, workload_ids },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
};
const define = (targets: string[]) => ({
  enforcement_mode: 'enforced' as const,
  direction: 'in' as const,
  sources: ['any'],
  targets,
  default_action: 'none' as const,
});
const rules = [{ action: 'drop', protocol: 'tcp', destination_ports: ['22'] }];
const findPlaces = async (path: string, body: object) => {
  const preview = await callJson<Preview>(path, admin, { body });
  expect(preview.status, JSON.stringify(preview.body)).toBe(200);
  return preview.body.clusters.flatMap(({ guests }) => guests.map(({ workload_id }) => workload_id));
};

it('a policy of the installation keeps the group that it names, whatever groups tenants add', async () => {
  const { ours, theirs } = await makeTwoTenants('security_engineer');
  const name = `quarantine ${++serial}`;
  const id = await createGroup(name, theirs.headers, [theirs.workload.id]);
  const definition = define([`sg:${name}`]);
  expect(await findPlaces('/policy-drafts/preview', { definition, rules, priority: 100 })).toEqual([
    theirs.workload.id,
  ]);
  const made = await callJson<Stored>('/policies', admin, { body: { name, definition, rules } });
  expect(made).toMatchObject({ status: 201, body: { definition: { targets: [`sg:${id}`] } } });
  const test = {
    name,
    expect: 'deny',
    from: ['any'],
    to: [`sg:${name}`, `!sg:${name}`],
    protocol: 'tcp',
    ports: ['22'],
  };
  const tested = await callJson<Stored>('/policy-tests', admin, { body: test });
  expect(tested).toMatchObject({ status: 201, body: { to: [`sg:${id}`, `!sg:${id}`] } });

  await createGroup(name, ours.headers, [ours.workload.id]);
  expect(await findPlaces(`/policies/${made.body.id}/preview`, {})).toEqual([theirs.workload.id]);
  // Written again, the name is one of several, and resolves to nothing.
  const again = await callJson<Preview>('/policy-drafts/preview', admin, {
    body: { definition, rules, priority: 100 },
  });
  expect(again.body).toMatchObject({ clusters: [], unresolved: [{ reason: 'ambiguous' }] });
  // The one of the installation is meant where there is one.
  const own = await createGroup(name, admin, [ours.workload.id]);
  expect(own).not.toBe(id);
  expect(await findPlaces('/policy-drafts/preview', { definition, rules, priority: 100 })).toEqual([ours.workload.id]);
  expect(await findPlaces(`/policies/${made.body.id}/preview`, {})).toEqual([theirs.workload.id]);
});

it('no group of a tenant gets into a policy of the installation that named none', async () => {
  const { ours } = await makeTwoTenants('security_engineer');
  const name = `later ${++serial}`;
  const made = await callJson<Stored>('/policies', admin, {
    body: { name, definition: define([`sg:${name}`]), rules },
  });
  expect(made.body.definition.targets).toEqual([`sg:${name}`]);
  await createGroup(name, ours.headers, [ours.workload.id]);
  expect(await findPlaces(`/policies/${made.body.id}/preview`, {})).toEqual([]);
  // A person who saves it now means the group that there is.
  const definition = define([`sg:${name}`, 'tag:none']);
  expect(await findPlaces(`/policies/${made.body.id}/preview`, { definition })).toEqual([ours.workload.id]);
});

it('an upgrade keeps what policies and tests resolve to, with a version and an audit record', async () => {
  const { ours, theirs } = await makeTwoTenants('security_engineer');
  const [only, shared] = [`only ${++serial}`, `shared ${++serial}`];
  const id = await createGroup(only, ours.headers, [ours.workload.id]);
  for (const { headers } of [ours, theirs]) await createGroup(shared, headers);
  const policy = { id: newId(), name: only, definition: define([`sg:${only}`, `sg:${shared}`, 'tag:x']), version: 3 };
  await db.insert(policies).values({ ...policy, tier: defaultTier(null) });
  const { id: policy_id, version, ...content } = policy;
  const snapshot = { ...content, description: '', enabled: true, priority: 100, rules: [] };
  await db.insert(policyVersions).values({ policy_id, version, snapshot: snapshot as never, reason: '' });
  const test = { name: only, expect: 'deny' as const, from: ['any'], to: [`!sg:${only}`, `sg:${shared}`, 'any'] };
  await db.insert(policyTests).values({ ...test, id: newId(), protocol: 'tcp' });

  const migration = readFileSync('drizzle/0092_groups-by-id.sql', 'utf8');
  for (const statement of migration.split('--> statement-breakpoint')) await sqlClient().unsafe(statement);
  const [stored] = await sqlClient()`select definition, version, rules_version from policies where id = ${policy.id}`;
  expect(stored).toEqual({ definition: define([`sg:${id}`, `sg:${shared}`, 'tag:x']), version: 4, rules_version: 3 });
  const [tested] = await sqlClient()`select "to" from policy_tests where name = ${only}`;
  expect(tested).toEqual({ to: [`!sg:${id}`, `sg:${shared}`, 'any'] });
  expect(await recordMigratedVersions()).toBeGreaterThan(0);
  const [record] = await sqlClient()`select before, after from audit_records
    where object_id = ${policy.id} and action = 'policy.updated'`;
  expect(record).toMatchObject({
    before: { version: 3, definition: policy.definition },
    after: { version: 4, reason: 'Groups of tenants named by their IDs', definition: stored?.definition },
  });
});
