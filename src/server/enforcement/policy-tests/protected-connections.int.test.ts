import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROTECTED_TEMPLATES, type ProtectedConnection } from '@/domain/policy-tests/protected-connection';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';

let lab: PolicyLab;

beforeAll(async () => {
  lab = await makePolicyLab();
  await lab.observe();
}, 60_000);
afterAll(() => lab.close());

type Answer = { status: number; body: ProtectedConnection & { items: ProtectedConnection[] } };
const send = async (path: string, init: object = {}, role: 'admin' | 'security_engineer' = 'admin') =>
  (await lab.json(path, { ...init, headers: await bearer(await makeUser(role)) })) as unknown as Answer;

describe('protected connections', () => {
  it('list what is missing, and the known nodes', async () => {
    const { body } = await send('/protected-connections');
    expect(body.items.map(({ template }) => template)).toEqual([...PROTECTED_TEMPLATES]);
    const traffic = body.items.find(({ template }) => template === 'cluster_traffic');
    expect(traffic).toMatchObject({ missing: [], test: null });
    expect(traffic?.from.every((end) => end.startsWith(`node:${lab.cluster.name}/`))).toBe(true);
    const admin = body.items.find(({ template }) => template === 'admin_to_nodes');
    expect(admin).toMatchObject({ missing: ['from'], from: [] });
  });

  it('become tests that are evaluated at the nodes, and fail with the rule or default that decides', async () => {
    const { body: listed } = await send('/protected-connections');
    const nodes = listed.items.find(({ template }) => template === 'admin_to_nodes')?.to ?? [];
    const complete = (from: string, port: string) =>
      send('/protected-connections/admin_to_nodes', {
        method: 'PUT',
        body: { from: [from], to: nodes, ports: [port] },
      });
    // The cluster accepts its web interface from the management network.
    const inside = await complete('10.20.0.77', '8006');
    expect(inside).toMatchObject({ status: 200, body: { test: { protected: true, result: 'pass' } } });
    const outside = await complete('198.51.100.7', '9999');
    expect(outside.body.test).toMatchObject({
      result: 'fail',
      version: 2,
      counterexample: { source: '198.51.100.7', destination_port: 9999, destination_node: expect.any(String) },
      deciding: { kind: 'default', side: 'destination' },
    });
  });

  it('reject a change from an outdated version', async () => {
    const { body } = await send('/protected-connections');
    const find = (template: string) => body.items.find((item) => item.template === template);
    const put = (template: string, init: object) =>
      send(`/protected-connections/${template}`, { method: 'PUT', ...init });
    const ends = { from: ['10.20.0.77'], to: find('admin_to_nodes')?.to, ports: ['8006'] };
    expect(find('admin_to_nodes')?.version).toBe(2);
    expect(find('dns')?.version).toBe(0);
    expect(await put('admin_to_nodes', { body: { ...ends, version: 1 } })).toMatchObject({
      status: 409,
      body: { code: 'version_conflict', version: 2, given_version: 1, current: { ports: ['9999'] } },
    });
    expect((await put('admin_to_nodes', { body: { ...ends, version: 0 } })).status).toBe(409);
    expect((await put('dns', { body: { ...ends, version: 1 } })).status).toBe(409);
    expect(await put('admin_to_nodes', { body: { ...ends, version: 2 } })).toMatchObject({
      status: 200,
      body: { version: 3, test: { version: 3 } },
    });
  });

  it('can be changed and removed only with the permission', async () => {
    const { body } = await send('/protected-connections');
    const test = body.items.find((item) => item.test)?.test;
    const engineer = (path: string, init: object) => send(path, init, 'security_engineer');
    expect((await engineer(`/policy-tests/${test?.id}`, { method: 'DELETE' })).status).toBe(403);
    expect((await engineer(`/policy-tests/${test?.id}`, { method: 'PATCH', body: { name: 'x' } })).status).toBe(403);
    expect((await engineer('/protected-connections/admin_to_nodes', { method: 'DELETE' })).status).toBe(403);
    expect((await send(`/policy-tests/${test?.id}`, { method: 'DELETE' })).status).toBe(403);
    expect((await send('/protected-connections/admin_to_nodes', { method: 'DELETE' })).status).toBe(204);
    expect((await send('/protected-connections/admin_to_nodes', { method: 'DELETE' })).status).toBe(404);
  });

  it('reject users of a tenant', async () => {
    const headers = await bearer(await makeUser('admin', await makeTenant()));
    expect(await lab.json('/protected-connections', { headers })).toEqual({ status: 200, body: { items: [] } });
  });
});
