import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MATRIX_LIMITS } from '@/domain/reach/matrix';
import type { Matrix, Reached, ReachedList } from '@/domain/reach/reach';
import { sqlClient } from '@/server/db/client';
import { cacheStats } from '@/server/lib/cache';
import { bearer, grantRole, makeAgent, makeTenant, makeUser } from '@/test/factories';
import { overrideConstant } from '@/test/override-constant';
import { call } from '@/test/request';
import { makePolicyLab, type PolicyLab } from '../../enforcement/policies/testing/policy-lab.fixture';
import { assignAddresses } from '../../enforcement/policy-tests/testing/addresses.fixture';
import { makeFlow, makeHeartbeat } from '../../traffic/agents/testing/heartbeat.fixture';

let lab: PolicyLab;

beforeAll(async () => {
  lab = await makePolicyLab();
  await assignAddresses(lab, { 103: '10.1.0.3', 104: '10.1.0.4', 105: '10.2.0.2' });
  for (const [name, vmid] of [
    ['web', 103],
    ['database', 104],
  ] as const) {
    const group = await lab.json('/security-groups', { body: { name } });
    const { id } = group.body as { id: string };
    await lab.json(`/security-groups/${id}/members`, { body: { workload_id: await lab.id(vmid) } });
  }
  const policy = await lab.create({
    name: 'web to database',
    definition: {
      enforcement_mode: 'enforced',
      sources: ['sg:web'],
      targets: ['sg:database'],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['5432'] }],
  });
  await lab.apply(policy);
  await lab.observe();
}, 60_000);
afterAll(() => lab.close());

const get = async <T>(path: string): Promise<{ status: number; body: T }> => await lab.json(path);
const names = (list: readonly Reached[]) => list.map(({ workload }) => workload?.name ?? null);
const readName = async (vmid: number) => (await lab.workload(vmid)).name;

describe('GET /workloads/{workload_id}/reachable-from', () => {
  it('lists what can connect to a port, with the rule that lets it in, and not what cannot', async () => {
    const { status, body } = await get<ReachedList>(
      `/workloads/${await lab.id(104)}/reachable-from?protocol=tcp&port=5432`,
    );
    expect([status, body.reason]).toEqual([200, null]);
    expect(names(body.items)).toContain(await readName(103));
    expect(names(body.items)).not.toContain(await readName(105));
    expect(body.items.find(({ workload }) => workload === null)).toBeUndefined();
    expect(body.items[0]).toMatchObject({
      verdict: 'allowed',
      open_by_default: false,
      hops: 1,
      services: [{ ports: ['5432'] }],
      decided_by: { kind: 'rule', policy_name: 'web to database', side: 'destination' },
    });
    expect(body.denied_total).toBeGreaterThan(0);
  });

  it('includes workloads without a filter and what is outside, as open by default', async () => {
    const { body } = await get<ReachedList>(`/workloads/${await lab.id(105)}/reachable-from?protocol=tcp&port=22`);
    expect(names(body.items)).toEqual(expect.arrayContaining([null, await readName(103)]));
    expect(body.items.every(({ open_by_default }) => open_by_default)).toBe(true);
  });

  it('shows what was seen only to users who may see traffic, and never reports unmonitored as not seen', async () => {
    const path = `/workloads/${await lab.id(105)}/reachable-from?protocol=tcp&port=22`;
    const { body } = await get<ReachedList>(path);
    expect(body.seen_since).toEqual(expect.any(String));
    expect(new Set(body.items.map(({ seen }) => seen?.state))).toEqual(new Set(['not_monitored']));
  });

  it.each(['protocol=tcp&port=0', 'protocol=icmp&port=5', 'protocol=x'])('refuses %s', async (query) => {
    expect((await get(`/workloads/${await lab.id(105)}/reachable-from?${query}`)).status).toBe(400);
  });
});

describe('traffic that was seen', () => {
  beforeAll(async () => {
    const [row] = await sqlClient()<
      { node_id: string }[]
    >`select node_id from workloads where id = ${await lab.id(104)}`;
    const [from, to] = ['10.1.0.3', '10.1.0.4'];
    const flows = [
      makeFlow({ source_ip: from, destination_ip: to, destination_port: 5432 }),
      makeFlow({ source_ip: from, destination_ip: to, destination_port: 22 }),
      makeFlow({ source_ip: '203.0.113.7', destination_ip: to, destination_port: 5432, decision: 'drop' }),
    ];
    const response = await call('/agents/heartbeat', {
      method: 'POST',
      body: makeHeartbeat(flows),
      headers: await makeAgent({ id: row?.node_id ?? '' }),
    });
    expect(response.status, await response.text()).toBe(200);
  });

  it('appears on every hop of the way', async () => {
    const [web, database] = [await readName(103), await readName(104)];
    const find = ({ items }: ReachedList, name: string | null) =>
      items.find(({ workload }) => (workload?.name ?? null) === name)?.seen;
    const { body } = await get<ReachedList>(`/workloads/${await lab.id(105)}/reaches?protocol=tcp&port=5432&hops=2`);
    expect(find(body, database)).toMatchObject({ state: 'seen', flows: 1 });
    const callers = await get<ReachedList>(`/workloads/${await lab.id(104)}/reachable-from?protocol=tcp&port=5432`);
    expect(find(callers.body, web)).toMatchObject({ state: 'seen', flows: 1, last_seen_at: expect.any(String) });
    const all = await get<ReachedList>(`/workloads/${await lab.id(104)}/reachable-from?protocol=tcp`);
    expect(find(all.body, web)).toMatchObject({ flows: 2 });
  });

  it('appears in the matrix between groups, without what was dropped, and as not seen where it would have been', async () => {
    const { body } = await get<Matrix>('/matrix?by=group&protocol=tcp&port=5432');
    const findId = (name: string) => body.groups.find((group) => group.name === name)?.id ?? name;
    const seen = (from: string, to: string) =>
      body.cells.find((cell) => cell.from === findId(from) && cell.to === findId(to))?.seen;
    expect(seen('web', 'database')).toMatchObject({ state: 'seen', flows: 1 });
    expect(seen('database', 'web')).toMatchObject({ state: 'not_seen', flows: 0, last_seen_at: null });
    expect(seen('outside', 'database')).toMatchObject({ state: 'not_seen' });
  });
});

describe('GET /workloads/{workload_id}/reaches', () => {
  it('follows connections over several hops, with the workloads between', async () => {
    const id = await lab.id(105);
    const direct = await get<ReachedList>(`/workloads/${id}/reaches?protocol=tcp&port=5432`);
    expect(names(direct.body.items)).not.toContain(await readName(104));
    const { body } = await get<ReachedList>(`/workloads/${id}/reaches?protocol=tcp&port=5432&hops=2`);
    const found = body.items.find(
      ({ workload }) => workload?.id !== undefined && workload.name !== null && workload.name === databaseName,
    );
    expect(found).toMatchObject({ hops: 2, via: [{ name: await readName(103) }], verdict: 'allowed' });
  });

  let databaseName = '';
  beforeAll(async () => {
    databaseName = await readName(104);
  });

  it('returns 404 for a workload that is not visible', async () => {
    const user = await makeUser('viewer', await makeTenant());
    const response = await call(`/workloads/${await lab.id(105)}/reaches`, { headers: await bearer(user) });
    expect(response.status).toBe(404);
  });
});

describe('GET /matrix', () => {
  const cell = ({ groups, cells }: Matrix, from: string, to: string) => {
    const findId = (name: string) => groups.find((group) => group.name === name || group.id === name)?.id;
    return cells.find((one) => one.from === findId(from) && one.to === findId(to))?.verdict;
  };

  it('says for each two groups whether everything, something or nothing passes', async () => {
    const { status, body } = await get<Matrix>('/matrix?by=group&protocol=tcp&port=5432');
    expect(status).toBe(200);
    expect(cell(body, 'web', 'database')).toBe('allowed');
    expect(cell(body, 'outside', 'database')).toBe('denied');
    expect(cell(body, 'web', 'web')).toBe('none');
    expect(cell(body, 'database', 'web')).toBeDefined();
    const whole = await get<Matrix>('/matrix?by=group&protocol=tcp');
    expect(cell(whole.body, 'web', 'database')).toBe('partly');
    const made: { id: string } = (await lab.json('/security-groups', { body: { name: 'still empty' } })).body;
    const { groups, groups_total, groups_empty } = (await get<Matrix>('/matrix?by=group')).body;
    expect(groups.map(({ name }) => name)).not.toContain('still empty');
    expect([groups_total, groups_empty]).toEqual([whole.body.groups_total, whole.body.groups_empty + 1]);
    await lab.json(`/security-groups/${made.id}`, { method: 'DELETE' });
  });

  it('answers again when a group has other members', async () => {
    const { id } = (await lab.json('/security-groups', { body: { name: 'changing' } })).body as { id: string };
    const read = async () => cell((await get<Matrix>('/matrix?protocol=tcp&port=5432')).body, 'changing', 'database');
    const add = async (vmid: number) =>
      lab.json(`/security-groups/${id}/members`, { body: { workload_id: await lab.id(vmid) } });
    await add(105);
    expect([await read(), await read()]).toEqual(['denied', 'denied']);
    await add(103);
    expect(await read()).toBe('partly');
    await lab.json(`/security-groups/${id}`, { method: 'DELETE' });
  });

  it('compares again what changes packets, and nothing else', async () => {
    const countCompared = () => cacheStats().find(({ name }) => name === 'matrices')?.misses ?? 0;
    const read = async () => {
      const { body } = await get<Matrix>('/matrix?protocol=tcp&port=5432');
      return [cell(body, 'web', 'database'), countCompared()] as const;
    };
    const id = await lab.id(103);
    const sql = sqlClient();
    const [verdict, compared] = await read();
    expect(verdict).toBe('allowed');
    await sql`update workloads set status = 'paused', lock = 'backup' where id = ${id}`;
    await sql`update guest_firewall_snapshots set read_at = read_at + interval '1 second'`;
    // Nothing filters by it before it is applied.
    const definition = { enforcement_mode: 'enforced', direction: 'in', sources: ['any'], targets: ['any'] };
    const body = { name: 'not applied', priority: 1, definition, rules: [{ action: 'drop' }] };
    expect((await lab.json('/policies', { body })).status).toBe(201);
    expect(await read()).toEqual(['allowed', compared]);
    // The rules have the address from before.
    await sql`update ip_addresses set address = '10.1.0.33' where workload_id = ${id}`;
    expect(await read()).toEqual(['denied', compared + 1]);
    await sql`update ip_addresses set address = '10.1.0.3' where workload_id = ${id}`;
    expect(await read()).toEqual(['allowed', compared + 2]);
    const setInCluster = (path: string, value: unknown) => sql`update cluster_firewall_snapshots
      set state_hash = gen_random_uuid()::text, state = jsonb_set(state, ${path.split('.')}, ${JSON.stringify(value)}::text::jsonb)`;
    // No rule refers to it.
    await setInCluster('aliases.unused', '10.1.0.3');
    expect(await read()).toEqual(['allowed', compared + 2]);
    await setInCluster('ipsets.blacklist', [{ cidr: 'unused' }]);
    expect(await read()).toEqual(['denied', compared + 3]);
    await setInCluster('ipsets', {});
    expect(await read()).toEqual(['allowed', compared + 4]);
    // Addresses of nodes are not outside, also of one without guests.
    await setInCluster('nodes.other', { options: {}, rules: [], networks: ['198.51.100.7/24'] });
    expect(await read()).toEqual(['allowed', compared + 5]);
    const rules = JSON.stringify([{ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, source: 'dc/unused' }]);
    await sql`update guest_firewall_snapshots set state_hash = 'by alias', state = jsonb_set(state, '{rules}', ${rules}::text::jsonb)
      where workload_id = ${await lab.id(104)}`;
    expect(await read()).toEqual(['allowed', compared + 6]);
    await setInCluster('aliases.unused', '10.1.0.99');
    expect(await read()).toEqual(['denied', compared + 7]);
  });

  it('refuses services that it cannot compare in memory, and says what can be asked', async () => {
    const policy = await lab.create({
      name: 'no mail from web',
      definition: { enforcement_mode: 'enforced', direction: 'out', sources: ['sg:web'], targets: ['any'] },
      rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['25'] }],
    });
    await lab.apply(policy);
    await lab.observe();
    const restore = overrideConstant(MATRIX_LIMITS, { compared: 0 });
    const { status, body } = await lab.json('/matrix?protocol=tcp');
    restore();
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ errors: [expect.objectContaining({ field: 'port' })] }),
    ]);
    expect((await get<Matrix>('/matrix?protocol=tcp')).status).toBe(200);
    expect((await get<Matrix>('/matrix?protocol=tcp&port=5432')).status).toBe(200);
  });

  it.each(['network', 'tag', 'project'])('groups by %s', async (by) => {
    const { status, body } = await get<Matrix>(`/matrix?by=${by}`);
    expect([status, body.by]).toEqual([200, by]);
    expect(body.cells).toHaveLength(body.groups.length ** 2 - 1);
  });

  it('asks the path check about the ends that its groups name', async () => {
    const { body } = await get<Matrix>('/matrix?by=network&protocol=tcp&port=22');
    const named = body.groups.filter(({ end }) => end.length > 0 && end[0] !== 'outside');
    expect(named.length).toBeGreaterThan(0);
    for (const { end } of named) {
      const asked = await lab.json('/reach', { body: { from: end, to: end, protocol: 'tcp', ports: ['22'] } });
      expect(asked.status).toBe(200);
    }
  });

  it('asks users with several tenants to name one', async () => {
    const [own, other, foreign] = [await makeTenant(), await makeTenant(), await makeTenant()];
    const user = await makeUser('viewer', own);
    await grantRole(user, 'viewer', other);
    const ask = async (query: string) => (await call(`/matrix?${query}`, { headers: await bearer(user) })).status;
    expect(await ask('')).toBe(400);
    expect(await ask(`tenant_id=${other.id}`)).toBe(200);
    expect(await ask(`tenant_id=${foreign.id}`)).toBe(400);
    expect(await ask(`project_id=${foreign.id}`)).toBe(400);
  });
});
