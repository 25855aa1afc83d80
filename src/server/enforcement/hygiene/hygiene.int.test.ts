import { beforeAll, describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import { type HygieneFinding, HygieneListInput, type HygieneSummary } from '@/domain/hygiene/finding';
import type { Policy } from '@/domain/policies';
import { systemScope } from '@/server/auth/scope';
import { sqlClient } from '@/server/db/client';
import { countQueries } from '@/test/count-queries';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';
import { listHygiene } from './list-hygiene';
import { checkHygiene } from './run-hygiene';

let lab: PolicyLab;
let tenantUser: Awaited<ReturnType<typeof makeUser>>;
const policies = new Map<string, Policy>();

const rule = (action: string, ports: string[] = [], more = {}) => ({
  action,
  protocol: 'tcp',
  destination_ports: ports,
  ...more,
});

async function create(name: string, priority: number, rules: object[], more: object = {}) {
  const { sources = ['any'], targets = ['vmid:100'], ...fields } = more as { sources?: string[]; targets?: string[] };
  const definition = { enforcement_mode: 'enforced', sources, targets };
  const policy = await lab.create({ name, priority, rules, definition, ...fields });
  policies.set(name, policy);
  return policy;
}

async function list(query = ''): Promise<HygieneFinding[]> {
  const { body } = await lab.json(`/hygiene${query}`);
  return (body as { items: HygieneFinding[] }).items;
}

const summarize = ({ kind, policy_name, rule_position, workload_name }: HygieneFinding) =>
  `${kind} ${policy_name ?? workload_name} ${rule_position}`;

/** Findings as a user of the tenant sees them. */
async function listAsTenant(query = ''): Promise<HygieneFinding[]> {
  const response = await call(`/hygiene${query}`, { headers: await bearer(tenantUser) });
  return ((await response.json()) as { items: HygieneFinding[] }).items;
}

beforeAll(async () => {
  lab = await makePolicyLab();
  const tenant = await makeTenant({ name: 'Nordwind' });
  const project = await makeProject(tenant, { name: 'Shop' });
  tenantUser = await makeUser('admin', tenant);
  await sqlClient()`update workloads set project_id = ${project.id} where id = ${await lab.id(100)}`;
  await create('platform', 10, [rule('accept', ['443'])], { tenant_visibility: 'hidden' });
  await create(
    'web',
    20,
    [
      rule('accept', ['443']),
      rule('drop', ['443'], { comment: 'blocked' }),
      rule('accept', ['8080']),
      rule('accept', ['8080-8090']),
    ],
    { tenant_id: tenant.id },
  );
  await create('gone', 30, [rule('accept', ['22'])], { sources: ['tag:none', 'any'] });
  const past = { expires_at: '2020-01-01T00:00:00.000Z' };
  await create('old', 35, [rule('accept', ['25'], past)], { targets: ['vmid:102'] });
  await create('unread', 40, [rule('accept', ['22'])], { targets: ['vmid:103'] });
  for (const policy of policies.values()) await lab.apply(policy);
  const text = (vmid: number) => lab.control.state.files.get(`firewall/${vmid}.fw`) ?? '';
  lab.control.firewall.setFile('firewall/100.fw', `${text(100)}\nIN ACCEPT -p tcp -dport 8085 # manual\n`);
  lab.control.firewall.setFile('firewall/103.fw', text(103).replace('enable: 1', 'enable: 0'));
  await lab.observe();
  await checkHygiene();
}, 120_000);

describe('GET /hygiene', () => {
  it('lists what is proven about rules, the most harmful first', async () => {
    const items = await list();
    expect(items.map(summarize)).toEqual([
      'contradictory web 1',
      'expired old 0',
      'unresolved gone null',
      'shadowed web 1',
      'shadowed web 0',
      'shadowed web-01 9',
      'redundant web 2',
      'redundant platform 0',
    ]);
    expect(items[0]).toMatchObject({
      harm: 'high',
      subject: 'DROP tcp to 443 # blocked',
      workloads_affected: 1,
      workloads_total: 1,
      workloads: [{ id: await lab.id(100) }],
      witnesses: [{ kind: 'rule', action: 'accept', policy_name: 'platform', rule_position: 0 }],
      example: { direction: 'in', protocol: 'tcp', destination_port: 443 },
      actions: [],
    });
    expect(items[2]).toMatchObject({ subject: 'tag:none', reason: 'empty', actions: ['fix'] });
    expect(items[5]).toMatchObject({ policy_id: null, vmid: 100, actions: [] });
    expect(items[6]).toMatchObject({ witnesses: [{ policy_name: 'web', rule_position: 3 }] });
    expect((await list('?kind=redundant')).map(summarize)).toEqual(['redundant web 2', 'redundant platform 0']);
    expect((await list('?harm=medium&q=tag:none')).map(summarize)).toEqual(['unresolved gone null']);
  });

  it('shows a tenant findings on its own rules, and of platform rules no more than they let tenants see', async () => {
    const items = await listAsTenant();
    expect(items.map(summarize)).toEqual([
      'contradictory web 1',
      'shadowed web 1',
      'shadowed web 0',
      'shadowed web-01 9',
      'redundant web 2',
    ]);
    const [witness] = items[0]?.witnesses ?? [];
    expect(witness).toMatchObject({ kind: 'rule', text: null, policy_id: null, policy_name: null });
    expect(await listAsTenant('?q=platform')).toEqual([]);
  });

  it('claims nothing about workloads whose rules are not enforced, and says so', async () => {
    const { body } = await lab.json(`/hygiene/summary?policy_id=${policies.get('unread')?.id}`);
    expect((body as HygieneSummary).findings).toEqual([]);
    expect((body as HygieneSummary).unknown).toContainEqual({ reason: 'not_enforced', policies: 1, workloads: 1 });
  });

  it('takes the same number of queries for one finding and for all', async () => {
    const scope = systemScope('policy:read', 'test');
    const count = async (limit: number) => {
      const { queries } = await countQueries(() => listHygiene(scope, HygieneListInput.parse({ limit }), 'all'));
      return queries;
    };
    expect([await count(1), await count(100)]).toEqual([4, 4]);
  });
});

describe('checkHygiene', () => {
  it('does nothing while nothing changed, and keeps the IDs of what is still found', async () => {
    expect(await checkHygiene()).toBeNull();
    const before = await list();
    await lab.create({
      name: 'other',
      definition: { enforcement_mode: 'audit', sources: ['tag:x'], targets: ['any'] },
    });
    expect(await checkHygiene()).not.toBeNull();
    const after = await list();
    for (const { id } of before) expect(after.map((one) => one.id)).toContain(id);
    expect(after.map(summarize)).toContain('unresolved other null');
  });
});

describe('POST /hygiene/{hygiene_finding_id}/fix', () => {
  const fix = async (kind: string) => {
    const finding = (await list(`?kind=${kind}`)).find(({ policy_name }) => policy_name !== 'other');
    return lab.json(`/hygiene/${finding?.id}/fix`, { method: 'POST' });
  };
  const getContent = ({ status, body }: Awaited<ReturnType<typeof fix>>) => {
    const [item] = (body as Change).items;
    return { status, content: item?.kind === 'policy' ? item.after : null };
  };

  it('drafts a change that removes the rule', async () => {
    const { status, content } = getContent(await fix('shadowed'));
    expect(status).toBe(201);
    expect(content?.rules.map(({ action, destination_ports }) => `${action} ${destination_ports}`)).toEqual([
      'accept 443',
      'accept 8080',
      'accept 8080-8090',
    ]);
  });

  it('drafts a change that removes an endpoint that resolves to nothing', async () => {
    const { status, content } = getContent(await fix('unresolved'));
    expect({ status, sources: content?.definition.sources }).toEqual({ status: 201, sources: ['any'] });
  });

  it('refuses to edit a policy that is managed as code', async () => {
    const managed = { source: 'https://git.example.org/net', commit: null, commit_url: null };
    await lab.sql`update policies set managed_by = ${lab.sql.json(managed)}`;
    const { status, body } = await fix('shadowed');
    await lab.sql`update policies set managed_by = null`;
    expect(status).toBe(409);
    expect(body).toMatchObject({ reason: 'managed_as_code', detail: expect.stringContaining(managed.source) });
  });

  it('refuses what no edit of one policy fixes, and a policy that was edited since', async () => {
    expect(await fix('contradictory')).toMatchObject({ status: 422 });
    const web = policies.get('web');
    await lab.json(`/policies/${web?.id}`, { method: 'PATCH', body: { priority: 21 } });
    expect(await fix('redundant')).toMatchObject({ status: 409 });
  });
});
