import { beforeAll, describe, expect, it } from 'vitest';
import { type Change, SHARED_TITLE } from '@/domain/change/change';
import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeCluster, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';

type Headers = Record<string, string>;
type Answer = { status: number; body: Change & { errors: { field: string }[]; version: number; total: number } };
type Side = { tenant: { id: string; name: string }; headers: Headers; policy: { id: string }; group: { id: string } };

let admin: Headers;
let red: Side;
let blue: Side;

async function send(path: string, body: object | undefined, headers: Headers, method?: string): Promise<Answer> {
  const response = await call(path, { headers, body, ...(method && { method }) });
  return { status: response.status, body: await response.json() };
}

const definition = { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: ['any'] };
const rules = [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }];

async function makeSide(name: string): Promise<Side> {
  const tenant = await makeTenant({ name });
  const headers = await bearer(await makeUser('security_engineer', tenant));
  const policy = await send('/policies', { name: `${name}-policy`, definition, rules }, headers);
  const group = await send('/security-groups', { name: `${name}-group` }, headers);
  expect([policy.status, group.status]).toEqual([201, 201]);
  return { tenant, headers, policy: policy.body, group: group.body };
}

beforeAll(async () => {
  admin = await bearer(await makeUser('admin'));
  red = await makeSide('crimson');
  blue = await makeSide('azure');
});

const create = (items: object[], headers = admin, values: object = {}) =>
  send('/changes', { title: 'crimson and azure', items, ...values }, headers);
const draft = async (items: object[], headers = admin): Promise<Change> => {
  const { status, body } = await create(items, headers);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};
const apply = ({ policy }: Side) => ({ kind: 'policy', policy_id: policy.id });

describe('a draft', () => {
  it('keeps the content before and after, and stores nothing elsewhere', async () => {
    const policy = { name: 'crimson-policy', definition, rules: [...rules, { action: 'drop' }] };
    const edits = [
      { ...apply(red), policy },
      { kind: 'policy_delete', policy_id: blue.policy.id },
    ];
    const change = await draft([
      ...edits,
      { kind: 'policy', policy: { ...policy, name: 'new', tenant_id: red.tenant.id } },
    ]);
    const [edit, deletion, creation] = change.items;
    if (edit?.kind !== 'policy' || deletion?.kind !== 'policy_delete' || creation?.kind !== 'policy') throw new Error();
    expect(edit.before?.rules).toHaveLength(1);
    expect(edit.after.rules).toMatchObject([{ id: edit.before?.rules[0]?.id }, { action: 'drop', position: 1 }]);
    expect(deletion).toMatchObject({ base_version: 1, before: { name: 'azure-policy' }, tenant_id: blue.tenant.id });
    expect(creation).toMatchObject({
      base_version: null,
      before: null,
      tenant_id: red.tenant.id,
      after: { tier: 'tenant' },
    });
    expect(change).toMatchObject({
      state: 'draft',
      version: 1,
      hidden_items: 0,
      transitions: [{ from: null, to: 'draft' }],
    });
    expect((await send(`/policies/${red.policy.id}`, undefined, admin)).body.version).toBe(1);
    // Edited again with the same content, the rules keep their ids, so that nothing changes.
    const { policy_id } = creation;
    const again = await send(
      `/changes/${change.id}`,
      {
        items: [...edits, { kind: 'policy', policy_id, policy: { ...policy, name: 'new', tenant_id: red.tenant.id } }],
      },
      admin,
      'PATCH',
    );
    expect(again.body).toMatchObject({ version: 1, content_hash: change.content_hash });
  });

  it('applies a policy as it is stored when an edit has no content', async () => {
    const { items } = await draft([apply(red)]);
    const [item] = items;
    if (item?.kind !== 'policy' || !item.before) throw new Error();
    const { version, ...stored } = item.before;
    expect(item.after).toEqual(stored);
    expect(version).toBe(item.base_version);
  });

  it('adds and removes only members that change', async () => {
    const cluster = await makeCluster();
    const [first, second] = [await makeWorkload(cluster), await makeWorkload(cluster)];
    const group = await send('/security-groups', { name: newId(), workload_ids: [first.id] }, admin);
    const edit = { kind: 'group_members', group_id: group.body.id, add: [first.id, second.id], remove: [newId()] };
    expect((await draft([edit])).items).toMatchObject([{ add: [second.id], remove: [], base_version: 1 }]);
    const nothing = await create([{ ...edit, add: [first.id] }]);
    expect([nothing.status, nothing.body.errors[0]?.field]).toEqual([422, 'items.0.add']);
  });

  it('moves only workloads that exist and that are not assigned to the project already', async () => {
    const project = await makeProject(red.tenant);
    const workload = await makeWorkload(await makeCluster());
    const move = { kind: 'move', project_id: project.id, workload_ids: [workload.id] };
    const unknown = await create([apply(red), { ...move, workload_ids: [workload.id, newId()] }]);
    expect([unknown.status, unknown.body.errors[0]?.field]).toEqual([404, 'items.1.workload_ids.1']);
    expect((await draft([move])).items).toMatchObject([{ to: { id: project.id }, workloads: [{ id: workload.id }] }]);
    const assignment = { project_id: project.id, workload_ids: [workload.id] };
    expect((await send('/workloads/assign', assignment, admin)).status).toBe(200);
    const nothing = await create([move]);
    expect([nothing.status, nothing.body.errors[0]?.field]).toEqual([422, 'items.0.workload_ids']);
  });

  it.each<[string, () => object[], number, string]>([
    ['an object that does not exist', () => [{ kind: 'policy', policy_id: newId() }], 404, 'items.0.policy_id'],
    ['a policy of another tenant', () => [apply(red), apply(blue)], 404, 'items.1.policy_id'],
    [
      'a deletion in another tenant',
      () => [{ kind: 'policy_delete', policy_id: blue.policy.id }],
      404,
      'items.0.policy_id',
    ],
    [
      'a group of another tenant',
      () => [{ kind: 'group_members', group_id: blue.group.id, remove: [newId()] }],
      404,
      'items.0.group_id',
    ],
    ['two edits of one object', () => [apply(red), { ...apply(red), kind: 'policy_delete' }], 422, 'items.1.kind'],
    [
      'a name that is taken',
      () => [{ kind: 'policy', policy: { name: 'crimson-policy', definition } }],
      409,
      'items.0.policy.name',
    ],
    [
      'two new policies of one name',
      () => [1, 2].map(() => ({ kind: 'policy', policy: { name: 'twice', definition } })),
      422,
      'items.1.kind',
    ],
    [
      'the tier of a platform policy',
      () => [{ ...apply(red), policy: { name: 'crimson-policy', definition, tier: 'platform_first' } }],
      422,
      'tier',
    ],
    ['an edit without content', () => [{ kind: 'policy' }], 422, 'items.0.policy'],
    ['an older version', () => [{ ...apply(red), base_version: 7 }], 409, ''],
  ])('refuses %s', async (_, items, status, field) => {
    const answer = await create(items(), red.headers);
    expect([answer.status, answer.body.errors?.[0]?.field ?? ''], JSON.stringify(answer.body)).toEqual([status, field]);
  });

  it('has an audit record of each edit, for each tenant with its own content only', async () => {
    const { id } = await draft([apply(red), apply(blue)]);
    await send(
      `/changes/${id}`,
      { items: [apply(red), { kind: 'policy_delete', policy_id: blue.policy.id }] },
      admin,
      'PATCH',
    );
    const trail = (await auditTrail()).filter(({ object_id }) => object_id === id);
    expect(trail.map(({ action }) => action)).toEqual([
      ...['change.created', 'change.created'],
      ...['change.updated', 'change.updated'],
    ]);
    for (const record of trail) {
      const [own, other] = record.tenant_id === red.tenant.id ? ['crimson', 'azure'] : ['azure', 'crimson'];
      const text = JSON.stringify(record);
      expect(text).toContain(`${own}-policy`);
      expect(text).not.toContain(other);
    }
  });
});

describe('a change of several tenants', () => {
  it('shows each its own edits, and nothing that may name the others', async () => {
    const { id } = await draft([apply(red), apply(blue)]);
    for (const [side, other] of [
      [red, 'azure'],
      [blue, 'crimson'],
    ] as const) {
      const { body } = await send(`/changes/${id}`, undefined, side.headers);
      const list = await send(`/changes?policy_id=${side.policy.id}&q=several`, undefined, side.headers);
      expect(body).toMatchObject({ title: SHARED_TITLE, hidden_items: 1, items: [{ tenant_id: side.tenant.id }] });
      expect(body.actions).toEqual([]);
      expect(JSON.stringify(list.body)).toContain(id);
      expect(JSON.stringify([body, list.body])).not.toContain(other);
      // Neither a search for its title nor one for the other's policy tells that they are in it.
      const hidden = side === red ? blue : red;
      for (const query of [`q=${other}`, `policy_id=${hidden.policy.id}`]) {
        const found = await send(`/changes?${query}`, undefined, side.headers);
        expect(JSON.stringify(found.body), query).not.toContain(id);
      }
      const edit = await send(`/changes/${id}`, { title: 'mine' }, side.headers, 'PATCH');
      expect(edit.status).toBe(403);
    }
  });

  it('does not exist for a third one', async () => {
    const { id } = await draft([apply(red), apply(blue)]);
    const stranger = await bearer(await makeUser('security_engineer', await makeTenant()));
    expect((await send(`/changes/${id}`, undefined, stranger)).status).toBe(404);
    expect((await send('/changes', undefined, stranger)).body.total).toBe(0);
    expect((await send(`/changes/${id}`, { title: 'mine' }, stranger, 'PATCH')).status).toBe(404);
  });
});

describe('editing a change', () => {
  it('refuses an older version, and what is being applied', async () => {
    const { id } = await draft([apply(red)], red.headers);
    const patch = (body: object) => send(`/changes/${id}`, body, red.headers, 'PATCH');
    expect((await patch({ title: 'second', version: 1 })).body).toMatchObject({ title: 'second', version: 2 });
    expect((await patch({ title: 'third', version: 1 })).status).toBe(409);
    await sqlClient()`update changes set state = 'applying' where id = ${id}`;
    expect((await patch({ title: 'third' })).status).toBe(409);
  });

  it('makes everyone who edits it an author', async () => {
    const { id } = await draft([apply(red)], red.headers);
    await send(`/changes/${id}`, { description: 'more' }, admin, 'PATCH');
    const [row] = await sqlClient()<{ author_ids: string[] }[]>`select author_ids from changes where id = ${id}`;
    expect(row?.author_ids).toHaveLength(2);
  });
});
