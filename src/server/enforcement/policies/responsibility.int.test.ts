import { beforeAll, describe, expect, it } from 'vitest';
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

describe('an expiry in the past', () => {
  const refuse = async (method: string, path: string, body: object) => {
    const response = await call(path, { method, headers, body });
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as { errors: { field: string; message: string }[] };
    for (const { message } of errors) expect(message).toContain('Specify a later time');
    return errors.map(({ field }) => field);
  };
  const change = (policy: Policy, given: object) => ({
    title: 'Edit',
    items: [{ kind: 'policy', policy_id: policy.id, policy: { name: policy.name, definition, rules: [], ...given } }],
  });

  it('returns 422 at its field when an edit enters it', async () => {
    const policy = await send<Policy>('/policies', { name: 'typo', definition, rules: [rule('22'), rule('443')] });
    const path = `/policies/${policy.id}`;
    const past = { expires_at: '2007-01-31T00:00:00Z' };
    expect(await refuse('PATCH', path, past)).toEqual(['expires_at']);
    expect(await refuse('PATCH', path, { rules: [rule('22'), rule('443', past)] })).toEqual(['rules.1.expires_at']);
    expect(await refuse('POST', `${path}/rules`, { rule: rule('80', past) })).toEqual(['rule.expires_at']);
    expect(await refuse('PATCH', `${path}/rules/${policy.rules[0]?.id}`, { rule: rule('22', past) })).toEqual([
      'rule.expires_at',
    ]);
    const rules = [rule('22', past)];
    expect(await refuse('POST', '/changes', change(policy, { ...past, rules }))).toEqual([
      'items.0.policy.expires_at',
      'items.0.policy.rules.0.expires_at',
    ]);
    const draft = await send<{ id: string }>('/changes', change(policy, { expires_at: FAR }));
    expect(await refuse('PATCH', `/changes/${draft.id}`, change(policy, past))).toEqual(['items.0.policy.expires_at']);
    expect(await send<Policy>(path)).toMatchObject({ version: 1, expires_at: null });
  });

  it('stays when something else is edited, and returns with a former version or from a file', async () => {
    const given = { expires_at: PAST, rules: [rule('22', { expires_at: PAST })] };
    const policy = await send<Policy>('/policies', { name: 'reached', definition, ...given });
    const path = `/policies/${policy.id}`;
    // The rule is another one, with the time that was reached.
    const rules = [rule('8080'), rule('23', { expires_at: PAST })];
    await send(path, { description: 'Edited', expires_at: PAST, rules }, 'PATCH');
    await send('/changes', change(policy, { expires_at: PAST, rules: [...rules, rule('25', { expires_at: PAST })] }));
    await send(path, { expires_at: FAR, rules: [] }, 'PATCH');
    const reverted = await send<Policy>(`${path}/versions/1/revert`, {});
    expect(reverted).toMatchObject({ version: 4, expires_at: PAST, rules: [{ expires_at: PAST }] });
    await send(path, { expires_at: null, rules: [] }, 'PATCH');
    const document = { version: 1, policies: [{ name: 'reached', definition, ...given }] };
    await send('/policy-file/plan', { document });
    await send('/policy-file/change', { document, title: 'From a file' });
  });
});
