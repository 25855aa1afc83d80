import { beforeAll, expect, it } from 'vitest';
import type { Policy, PolicyListItem, VersionComparison } from '@/domain/policies';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';

const PAST = '2020-01-31T00:00:00.000Z';
const FAR = '2090-01-31T00:00:00.000Z';
let headers: Record<string, string>;
beforeAll(async () => {
  headers = await bearer(await makeUser('super_admin'));
});

async function send<T>(path: string, body?: object, method = body ? 'POST' : 'GET'): Promise<T> {
  const response = await call(path, { method, headers, ...(body && { body }) });
  const answer = await response.json();
  expect(response.status, JSON.stringify(answer)).toBeLessThan(300);
  return answer as T;
}

const definition = { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: ['any'] };
const rule = (port: string, given: object = {}) => ({
  ...{ action: 'accept', protocol: 'tcp', destination_ports: [port], ...given },
});

it('keeps owner, ticket and expiry of a policy and its rules in versions, lists and comparisons', async () => {
  const created = await send<Policy>('/policies', {
    ...{
      name: 'owned',
      definition,
      owner: 'Anna@Example.org',
      ticket: 'NET-7',
      expires_at: '2090-01-31T01:00:00+01:00',
    },
    rules: [rule('22'), rule('443', { owner: 'ben@example.org', ticket: 'NET-8', expires_at: PAST })],
  });
  expect(created).toMatchObject({ owner: 'anna@example.org', ticket: 'NET-7', expires_at: FAR, next_expiry_at: PAST });
  expect(created.rules).toMatchObject([
    { owner: '', expires_at: null },
    { ticket: 'NET-8', expires_at: PAST },
  ]);
  // Fields that are left out stay; a rule that only gets another owner is the same rule.
  const [ssh, web] = created.rules;
  const changed = await send<Policy>(`/policies/${created.id}`, { owner: '' }, 'PATCH');
  expect(changed).toMatchObject({ owner: '', ticket: 'NET-7', version: 2 });
  const path = `/policies/${created.id}/rules/${ssh?.id}`;
  const last = await send<Policy>(path, { rule: rule('22', { owner: 'ben@example.org' }) }, 'PATCH');
  expect(last.rules.map(({ id }) => id)).toEqual([ssh?.id, web?.id]);
  const compared = await send<VersionComparison>(`/policies/${created.id}/versions/1/compare?to=3`);
  expect(compared.fields).toEqual([{ field: 'owner', before: 'anna@example.org', after: '' }]);
  expect(compared.rules).toMatchObject([{ id: ssh?.id, change: 'changed', fields: ['owner'] }]);
});

it('lists policies by owner, ticket and the first expiry of the policy or its rules', async () => {
  const soon = new Date(Date.now() + 86_400_000).toISOString();
  const make = (name: string, given: object, rules: object[] = []) =>
    send<Policy>('/policies', { name, definition, ...given, rules });
  await make('l-never', { ticket: 'https://tickets.example.org/4711' });
  await make('l-past', { owner: 'carla@example.org', expires_at: FAR }, [rule('1', { expires_at: PAST })]);
  await make('l-soon', { owner: 'carla@example.org' }, [rule('1', { expires_at: soon })]);
  await make('l-later', { expires_at: FAR });
  const list = async (query: string) =>
    (await send<{ items: PolicyListItem[] }>(`/policies?q=l-&${query}`)).items.map(({ name }) => name);
  expect(await list('expiry=expired')).toEqual(['l-past']);
  expect(await list('expiry=soon')).toEqual(['l-soon']);
  expect(await list('expiry=later')).toEqual(['l-later']);
  expect(await list('expiry=never')).toEqual(['l-never']);
  expect(await list('owner=Carla@example.org&sort=next_expiry_at')).toEqual(['l-past', 'l-soon']);
  expect(await list('owner=none&sort=name')).toEqual(['l-later', 'l-never']);
  const found = await send<{ items: PolicyListItem[] }>('/policies?q=4711');
  expect(found.items.map(({ name }) => name)).toEqual(['l-never']);
});

it('requires approval for an expiry, and none for an owner or a ticket', async () => {
  const tenant = await makeTenant();
  const given = { name: 'gated', tenant_id: tenant.id, definition, rules: [rule('22')] };
  const policy = await send<Policy>('/policies', given);
  await send(`/tenants/${tenant.id}`, { approvals_required: 1 }, 'PATCH');
  await send(`/policies/${policy.id}`, { owner: 'anna@example.org', ticket: 'NET-9' }, 'PATCH');
  const rules = [rule('22', { owner: 'ben@example.org' })];
  await send(`/policies/${policy.id}`, { rules }, 'PATCH');
  for (const body of [{ expires_at: FAR }, { rules: [rule('22', { expires_at: FAR })] }]) {
    const response = await call(`/policies/${policy.id}`, { method: 'PATCH', headers, body });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ reason: 'approval_required' });
  }
});
