import { asc, eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChangedPolicy, Policy, PolicyListItem } from '@/domain/policies';
import { db } from '@/server/db/client';
import { auditRecords } from '@/server/db/schema/operations';
import { deployments, policyVersions } from '@/server/db/schema/policies';
import { newId } from '@/server/lib/ids';
import { auditTrail } from '@/test/audit-trail';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeTwoTenants, makeUser } from '@/test/factories';
import { call } from '@/test/request';

type Headers = Record<string, string>;
let admin: Headers;
let author: { id: string; email: string };
let serial = 0;

beforeAll(async () => {
  author = await makeUser('security_engineer');
  admin = await bearer(author);
});

async function json(path: string, init: Parameters<typeof call>[1] = {}, headers: Headers = admin) {
  const response = await call(path, { ...init, headers: { ...headers, ...init.headers } });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}

const definition = { direction: 'in', sources: ['10.0.0.0/8'], targets: ['any'] };
const rule = (port: string, changes: object = {}) => ({
  action: 'accept',
  protocol: 'tcp',
  destination_ports: [port],
  ...changes,
});
const create = async (input: object = {}, headers: Headers = admin): Promise<Policy> => {
  const body = { name: `policy ${++serial}`, definition, rules: [rule('22'), rule('443')], ...input };
  const answer = await json('/policies', { body }, headers);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
};
const patch = (id: string, body: object, headers: Headers = {}) =>
  json(`/policies/${id}`, { method: 'PATCH', body, headers });
const listStoredVersions = (id: string) =>
  db.select().from(policyVersions).where(eq(policyVersions.policy_id, id)).orderBy(asc(policyVersions.version));

describe('creating a policy', () => {
  it.each([
    ['missing', {}, 'audit'],
    ['invalid', { enforcement_mode: 'Enforce!' }, 'audit'],
    ['of another type', { enforcement_mode: 7 }, 'audit'],
    ['audit', { enforcement_mode: 'audit' }, 'audit'],
    ['enforced', { enforcement_mode: 'enforced' }, 'enforced'],
  ])('accepts an enforcement mode that is %s', async (_, mode, desired) => {
    const policy = await create({ definition: { ...definition, ...mode } });
    expect(policy.definition.enforcement_mode).toBe(desired);
    const changed = await patch(policy.id, { definition: { ...definition, ...mode }, description: 'again' });
    expect(changed.body.definition.enforcement_mode).toBe(desired);
  });

  it('stores version 1 with author, reason and everything that it says', async () => {
    const policy = await create({ name: 'web to db', reason: 'ticket 12', priority: 5 });
    expect(policy).toMatchObject({
      version: 1,
      priority: 5,
      enabled: true,
      tenant_id: null,
      rules_total: 2,
      last_deployment: null,
      deployment_status: null,
      deployments: [],
      definition: { default_action: 'none', sources: ['10.0.0.0/8'] },
      rules: [{ position: 0, destination_ports: ['22'] }, { position: 1 }],
    });
    const [version] = await listStoredVersions(policy.id);
    expect(version).toMatchObject({ version: 1, reason: 'ticket 12', author_id: author.id });
    expect(version?.snapshot).toMatchObject({ name: 'web to db', rules: policy.rules, definition: policy.definition });
    const trail = await auditTrail(eq(auditRecords.object_id, policy.id));
    expect(trail).toMatchObject([{ action: 'policy.created', actor_id: author.id, object_name: 'web to db' }]);
  });

  it('refuses a taken name and wrong fields, each by name', async () => {
    await create({ name: 'taken' });
    expect(await json('/policies', { body: { name: 'taken', definition } })).toMatchObject({
      status: 409,
      body: { errors: [{ field: 'name' }] },
    });
    const wrong = { name: 'x', definition: { ...definition, sources: [] }, rules: [rule('0')] };
    const { status, body } = await json('/policies', { body: wrong });
    expect(status).toBe(400);
    expect(body.errors.map((error: { field: string }) => error.field).sort()).toEqual([
      'definition.sources',
      'rules.0.destination_ports',
    ]);
  });
});

describe('changing a policy', () => {
  it('makes one immutable version per change and none without a change', async () => {
    const policy = await create();
    const { body: second } = await patch(policy.id, { description: 'why', reason: 'asked for' });
    expect(second).toMatchObject({ version: 2, description: 'why', cleanup: [] });
    const { body: same } = await patch(policy.id, { description: 'why', rules: [rule('22'), rule('443')] });
    expect(same.version).toBe(2);
    const { body: third } = await patch(policy.id, { rules: [rule('443'), rule('22'), rule('80')] });
    expect(third.version).toBe(3);
    const ids = policy.rules.map(({ id }) => id);
    expect(third.rules.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0], expect.any(String)]);
    const stored = await listStoredVersions(policy.id);
    expect(stored.map(({ version, reason }) => [version, reason])).toEqual([
      [1, ''],
      [2, 'asked for'],
      [3, ''],
    ]);
    await expect(
      db.update(policyVersions).set({ reason: 'forged' }).where(eq(policyVersions.policy_id, policy.id)),
    ).rejects.toThrow();
  });

  it('refuses what was based on an older version and tells both', async () => {
    const policy = await create();
    await patch(policy.id, { description: 'first', version: 1 });
    const late = await patch(policy.id, { description: 'second', version: 1 });
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'version_conflict', version: 2, given_version: 1, current: { description: 'first' } },
    });
    expect(await patch(policy.id, { description: 'third' }, { 'if-match': '"1"' })).toMatchObject({ status: 409 });
    expect(await patch(policy.id, { description: 'third' }, { 'if-match': '"2"' })).toMatchObject({ status: 200 });
  });

  it('lets one of many changes of the same version through', async () => {
    const policy = await create();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => patch(policy.id, { description: `change ${i}`, version: 1 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect(await listStoredVersions(policy.id)).toHaveLength(2);
  });

  it('adds, changes, moves and removes single rules, a version each', async () => {
    const policy = await create();
    const [first, second] = policy.rules;
    const path = `/policies/${policy.id}/rules`;
    const ports = (body: ChangedPolicy) => body.rules.map(({ destination_ports }) => destination_ports[0]);
    const added = await json(path, { body: { rule: rule('80'), position: 0, version: 1, reason: 'http' } });
    expect(added.status).toBe(201);
    expect(ports(added.body)).toEqual(['80', '22', '443']);
    const moved = await json(`${path}/${second?.id}`, { method: 'PATCH', body: { position: 0 } });
    expect(ports(moved.body)).toEqual(['443', '80', '22']);
    const changed = await json(`${path}/${first?.id}`, { method: 'PATCH', body: { rule: rule('2222') } });
    expect(ports(changed.body)).toEqual(['443', '80', '2222']);
    expect(await json(`${path}/${first?.id}?version=2`, { method: 'DELETE' })).toMatchObject({ status: 409 });
    const removed = await json(`${path}/${first?.id}?reason=unused`, { method: 'DELETE' });
    expect(ports(removed.body)).toEqual(['443', '80']);
    expect(removed.body.rules.map(({ position }: { position: number }) => position)).toEqual([0, 1]);
    expect(await json(`${path}/${newId()}`, { method: 'PATCH', body: { position: 0 } })).toMatchObject({ status: 404 });
    expect((await listStoredVersions(policy.id)).map(({ reason }) => reason)).toEqual(['', 'http', '', '', 'unused']);
    expect((await json(path)).body).toMatchObject({ policy_version: 5, items: [{ position: 0 }, { position: 1 }] });
  });
});

describe('the history of a policy', () => {
  it('compares any two versions and brings one back as a new one', async () => {
    const policy = await create();
    await patch(policy.id, { name: `renamed ${serial}`, rules: [rule('443'), rule('22')] });
    await patch(policy.id, {
      definition: { ...definition, sources: ['any'] },
      rules: [rule('443'), rule('22', { log: 'info' })],
    });
    const { body: listed } = await json(`/policies/${policy.id}/versions`);
    expect(listed.items.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
    expect(listed.items[0]).toMatchObject({ author_name: author.email });
    const { body: compared } = await json(`/policies/${policy.id}/versions/1/compare?to=3`);
    expect(compared.fields).toEqual([
      { field: 'name', before: policy.name, after: `renamed ${serial}` },
      { field: 'definition.sources', before: ['10.0.0.0/8'], after: ['any'] },
    ]);
    expect(compared.rules).toMatchObject([
      { change: 'moved', fields: ['position'] },
      { change: 'changed', fields: ['log', 'position'], before: { log: 'nolog' }, after: { log: 'info' } },
    ]);
    const { body: back } = await json(`/policies/${policy.id}/versions/1/revert`, { method: 'POST', body: {} });
    expect(back).toMatchObject({ version: 4, name: policy.name, definition: policy.definition, rules: policy.rules });
    expect((await json(`/policies/${policy.id}/versions/1/compare?to=4`)).body).toMatchObject({
      fields: [],
      rules: [],
    });
    expect((await json(`/policies/${policy.id}/versions/4`)).body).toMatchObject({ reason: 'Restored version 1' });
    expect(await json(`/policies/${policy.id}/versions/9/revert`, { method: 'POST' })).toMatchObject({ status: 404 });
  });
});

describe('taking a policy out of force', () => {
  const enforced = { ...definition, enforcement_mode: 'enforced' };
  /** As if it had been applied once. */
  const deployed = async (policy: Policy) => {
    const cluster = await makeCluster();
    await db.insert(deployments).values({
      operation_id: newId(),
      policy_id: policy.id,
      policy_name: policy.name,
      policy_version: policy.version,
      cluster_id: cluster.id,
      kind: 'apply',
      trigger: 'apply',
      status: 'ok',
      started_at: new Date().toISOString(),
      finished_at: new Date().toISOString(),
    });
    return cluster;
  };
  const cleanups = async (policyId: string) =>
    (await db.select().from(deployments).where(eq(deployments.policy_id, policyId))).filter(
      ({ kind }) => kind === 'cleanup',
    );

  it.each([
    ['disabled', (policy: Policy) => patch(policy.id, { enabled: false })],
    ['set to audit', (policy: Policy) => patch(policy.id, { definition: { ...enforced, enforcement_mode: 'audit' } })],
    ['set to audit by an invalid mode', (policy: Policy) => patch(policy.id, { definition })],
    ['deleted', (policy: Policy) => json(`/policies/${policy.id}`, { method: 'DELETE' })],
  ])('asks for the removal of its rules where it was applied, when it is %s', async (_, act) => {
    const policy = await create({ definition: enforced });
    const cluster = await deployed(policy);
    const { status, body } = await act(policy);
    expect(status).toBe(200);
    expect(body.cleanup).toEqual([{ deployment_id: expect.any(String), cluster_id: cluster.id }]);
    expect(await cleanups(policy.id)).toMatchObject([
      { id: body.cleanup[0].deployment_id, status: 'queued', policy_name: policy.name },
    ]);
  });

  it('requests cleanup when a revert restores a version that was not enforced, but not for a policy that never was enforced', async () => {
    const policy = await create();
    await patch(policy.id, { definition: enforced });
    await deployed(policy);
    const { body } = await json(`/policies/${policy.id}/versions/1/revert`, { method: 'POST' });
    expect(body.cleanup).toHaveLength(1);
    const never = await create();
    expect((await patch(never.id, { enabled: false })).body.cleanup).toEqual([]);
  });

  it('keeps the history and the audit trail of a deleted policy', async () => {
    const policy = await create({ definition: enforced });
    await deployed(policy);
    expect(await json(`/policies/${policy.id}?version=7`, { method: 'DELETE' })).toMatchObject({ status: 409 });
    await json(`/policies/${policy.id}?version=1&reason=done`, { method: 'DELETE' });
    expect(await json(`/policies/${policy.id}`)).toMatchObject({ status: 404 });
    expect(await listStoredVersions(policy.id)).toHaveLength(1);
    const trail = await auditTrail(eq(auditRecords.object_id, policy.id));
    expect(trail.at(-1)).toMatchObject({
      action: 'policy.deleted',
      before: { name: policy.name, rules: [{}, {}] },
      after: { reason: 'done', cleanup: [{}] },
    });
    expect(await cleanups(policy.id)).toHaveLength(1);
  });
});

describe('policies of tenants', () => {
  it('do not exist for others, in any call', async () => {
    const { ours, theirs } = await makeTwoTenants('security_engineer');
    const policy = await create({}, ours.headers);
    expect(policy.tenant_id).toBe(ours.tenant.id);
    const path = `/policies/${policy.id}`;
    const calls: [string, string, object?][] = [
      ['GET', path],
      ['PATCH', path, { description: 'x' }],
      ['DELETE', path],
      ['GET', `${path}/rules`],
      ['POST', `${path}/rules`, { rule: rule('1') }],
      ['PATCH', `${path}/rules/${policy.rules[0]?.id}`, { position: 1 }],
      ['DELETE', `${path}/rules/${policy.rules[0]?.id}`],
      ['GET', `${path}/versions`],
      ['GET', `${path}/versions/1`],
      ['GET', `${path}/versions/1/compare?to=1`],
      ['POST', `${path}/versions/1/revert`],
      ['POST', `${path}/preview`],
      ['GET', `${path}/guests`],
      ['GET', `${path}/guests/${ours.workload.id}`],
      ['GET', `/workloads/${ours.workload.id}/firewall`],
      [
        'POST',
        `/workloads/${ours.workload.id}/firewall/test`,
        { direction: 'in', source_ip: '10.0.0.1', destination_ip: '10.0.0.2', protocol: 'tcp' },
      ],
    ];
    for (const [method, address, body] of calls) {
      const { status } = await json(address, { method, body }, theirs.headers);
      expect([method, address, status]).toEqual([method, address, 404]);
    }
    const listed = await json('/policies', {}, theirs.headers);
    expect(listed.body.items.map((item: PolicyListItem) => item.id)).not.toContain(policy.id);
    expect(await listStoredVersions(policy.id)).toHaveLength(1);
    const foreign = { name: 'x', definition, tenant_id: theirs.tenant.id };
    expect(await json('/policies', { body: foreign }, ours.headers)).toMatchObject({ status: 400 });
    const platform = { name: 'x', definition, tenant_id: null };
    expect(await json('/policies', { body: platform }, ours.headers)).toMatchObject({ status: 400 });
  });

  it('name workloads of their tenant only', async () => {
    const { ours, theirs } = await makeTwoTenants('security_engineer');
    const endpoints = [
      `vmid:${ours.workload.vmid}`,
      `vmid:${theirs.workload.vmid}`,
      theirs.workload.name,
      'any',
      '1.2',
    ];
    const { body } = await json('/policy-endpoints/resolve', { body: { endpoints } }, ours.headers);
    expect(body.endpoints).toMatchObject([
      { kind: 'vmid', workloads_total: 1, place_reason: null, peer_reason: 'no_address' },
      { workloads_total: 0, place_reason: 'not_found', peer_reason: 'not_found' },
      { kind: 'workload', place_reason: 'not_found' },
      { kind: 'any', place_reason: 'not_a_workload', peer_reason: null },
      { kind: null, error: expect.any(String) },
    ]);
    const found = await json(`/policy-endpoints?q=${theirs.workload.name}`, {}, ours.headers);
    expect(found.body.items).toEqual([]);
    const own = await json(`/policy-endpoints?q=${ours.workload.name}`, {}, ours.headers);
    expect(own.body.items).toMatchObject([{ endpoint: ours.workload.name, kind: 'workload' }]);
  });
});

describe('the list of policies', () => {
  it('filters, sorts and pages, with a constant number of queries', async () => {
    await create({ priority: 0, enabled: false });
    await json('/policies');
    const few = await countQueries(() => json('/policies?limit=1'));
    for (let i = 0; i < 5; i++) await create({ priority: 3 });
    await json('/policies');
    const many = await countQueries(() => json('/policies?limit=100'));
    expect(many.queries).toBe(few.queries);
    const off = await json('/policies?enabled=false&limit=500');
    expect(off.body.items.every(({ enabled }: PolicyListItem) => !enabled)).toBe(true);
    const audit = await json('/policies?enforcement_mode=enforced&limit=500&sort=-name');
    expect(audit.body.items.every((item: PolicyListItem) => item.definition.enforcement_mode === 'enforced')).toBe(
      true,
    );
    const none = await json('/policies?deployment_status=none&limit=500');
    expect(none.body.items.every((item: PolicyListItem) => item.deployment_status === null)).toBe(true);
    const all = await json('/policies?limit=500');
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: { items: PolicyListItem[]; next_cursor: string | null } } = await json(
        `/policies?limit=4${cursor && `&cursor=${cursor}`}`,
      );
      ids.push(...body.items.map(({ id }) => id));
      cursor = body.next_cursor;
    }
    expect(ids).toEqual(all.body.items.map(({ id }: PolicyListItem) => id));
    expect(all.body.total).toBe(ids.length);
  });
});
