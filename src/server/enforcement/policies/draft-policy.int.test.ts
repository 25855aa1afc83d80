import { beforeAll, describe, expect, it } from 'vitest';
import type { Policy } from '@/domain/policies';
import type { PolicyDraft } from '@/domain/policy-draft';
import type { SecurityGroup } from '@/domain/security-group';
import { sqlClient } from '@/server/db/client';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';

type Headers = { authorization: string };
let engineer: Headers;
let engineerOfTenant: Headers;
let engineerOfOther: Headers;
let reader: Headers;
let tenant: { id: string };
const id: Record<string, string> = {};

async function sendRequest<T>(path: string, body: object, headers = engineer): Promise<T> {
  const response = await call(path, { headers, body });
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return JSON.parse(text);
}
const draft = (body: object, headers = engineer) => sendRequest<PolicyDraft>('/policy-drafts', body, headers);

beforeAll(async () => {
  await sqlClient()`insert into system_settings (key, value) values ('instance', '{"id":"inst1"}') on conflict do nothing`;
  tenant = await makeTenant();
  const other = await makeTenant();
  const project = await makeProject(tenant);
  const foreign = await makeProject(other);
  const cluster = await makeCluster();
  for (const name of ['web-1', 'web-2', 'pg-1', 'lone']) {
    id[name] = (await makeWorkload(cluster, project, { name })).id;
  }
  id.secret = (await makeWorkload(cluster, foreign, { name: 'secret' })).id;
  id.free = (await makeWorkload(cluster, null, { name: 'free' })).id;
  engineer = await bearer(await makeUser('security_engineer'));
  engineerOfTenant = await bearer(await makeUser('security_engineer', tenant));
  engineerOfOther = await bearer(await makeUser('security_engineer', other));
  reader = await bearer(await makeUser('viewer', tenant));
  await sendRequest<SecurityGroup>(
    '/security-groups',
    { name: 'web', workload_ids: [id['web-1'], id['web-2']] },
    engineerOfTenant,
  );
});

describe('a draft of a policy', () => {
  it('names groups, else workloads, else addresses, and can be created as it is', async () => {
    const { source, target, evidence_score, ...policy } = await draft(
      { source: { workload_id: id['web-1'] }, destination: { workload_id: id['pg-1'] }, protocol: 'tcp', port: 5432 },
      engineerOfTenant,
    );
    // No agent reports there.
    expect(evidence_score).toBe(0);
    expect(policy).toEqual({
      name: 'Allow tcp/5432 from web to pg-1',
      tenant_id: tenant.id,
      project_id: null,
      definition: {
        enforcement_mode: 'audit',
        direction: 'in',
        default_action: 'none',
        sources: ['sg:web'],
        targets: ['pg-1'],
      },
      rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['5432'], icmp_type: null }],
    });
    expect(source).toMatchObject({ kind: 'security_group', workloads_total: 2, workload_endpoint: 'web-1' });
    expect(target).toMatchObject({ kind: 'workload', label: 'pg-1' });
    const created = await sendRequest<Policy>('/policies', policy, engineerOfTenant);
    expect(created.definition).toEqual(policy.definition);
    expect(created.deployment_status).toBeNull();
    const outside = await draft(
      { source: { workload_id: id['pg-1'] }, destination: { address: '203.0.113.9' } },
      engineerOfTenant,
    );
    expect(outside.definition).toMatchObject({ direction: 'out', sources: ['pg-1'], targets: ['203.0.113.9'] });
    const cut = await draft(
      { destination: { workload_id: id.lone }, protocol: 'udp', port: 53, action: 'drop' },
      engineerOfTenant,
    );
    expect(cut).toMatchObject({ name: 'Drop udp/53 to lone', rules: [{ action: 'drop' }] });
  });

  it('has no rule where the service is not known exactly', async () => {
    const destination = { workload_id: id.lone };
    for (const service of [
      {},
      { protocol: 'tcp' },
      { protocol: 'gre' },
      { protocol: 'any' },
      { protocol: 'icmp', icmp_type: 250 },
    ]) {
      expect((await draft({ destination, ...service })).rules, JSON.stringify(service)).toEqual([]);
    }
    const echo = await draft({ destination, protocol: 'ipv6-icmp', icmp_type: 128 });
    expect(echo.rules).toEqual([
      { action: 'accept', protocol: 'icmpv6', destination_ports: [], icmp_type: 'echo-request' },
    ]);
  });

  it('leaves out an end that is not resolved, and never contains any', async () => {
    const gone = '01980000-0000-7000-8000-00000000dead';
    for (const source of [{}, { workload_id: gone }, { workload_ids: [gone] }, { security_group_id: gone }]) {
      const { definition } = await draft({ source, destination: { workload_id: id.lone }, protocol: 'tcp', port: 1 });
      expect(definition.sources, JSON.stringify(source)).toEqual([]);
    }
    const refused = await call('/policy-drafts', { headers: engineer, body: { source: { address: '0.0.0.0/0' } } });
    expect(refused.status).toBe(400);
  });

  it('belongs to the one tenant of its workloads, to the installation where it has several', async () => {
    const of = async (source: string, destination: string) =>
      (await draft({ source: { workload_id: source }, destination: { workload_id: destination } })).tenant_id;
    expect(await of(id['web-1'] ?? '', id.lone ?? '')).toBe(tenant.id);
    expect(await of(id.secret ?? '', id.lone ?? '')).toBeNull();
    expect(await of(id.free ?? '', id.lone ?? '')).toBeNull();
  });

  it('answers for workloads and groups of others as for those that do not exist', async () => {
    const gone = '01980000-0000-7000-8000-00000000dead';
    const seen = async (ends: (one: string | undefined) => object) =>
      expect(await draft(ends(id.lone), engineerOfOther)).toEqual(await draft(ends(gone), engineerOfOther));
    await seen((one) => ({ source: { workload_id: one, address: '10.9.9.9' }, protocol: 'tcp', port: 22 }));
    await seen((one) => ({ destination: { workload_ids: [one, id.secret] } }));
    const mixed = await draft(
      { source: { workload_id: id.lone, address: '10.9.9.9' }, destination: { workload_id: id.secret } },
      engineerOfOther,
    );
    expect(mixed.definition).toMatchObject({ sources: ['10.9.9.9'], targets: ['secret'] });
  });

  it('requires the permission to write policies', async () => {
    expect((await call('/policy-drafts', { headers: reader, body: {} })).status).toBe(403);
  });

  it('finds the group that the workloads are, and takes as many queries for one as for all', async () => {
    const of = (names: string[]) =>
      draft({ destination: { workload_ids: names.map((name) => id[name]) } }, engineerOfTenant);
    expect((await of(['web-1', 'web-2'])).definition.targets).toEqual(['sg:web']);
    const both = await of(['web-1', 'pg-1']);
    expect(both.target).toMatchObject({ endpoint: null, kind: 'workloads', label: 'web-1, pg-1', workloads_total: 2 });
    expect(both.definition.targets).toEqual(['web-1', 'pg-1']);
    // One that is not visible: as one that does not exist.
    const partly = await draft({ destination: { workload_ids: [id['pg-1'], id.secret] } }, engineerOfTenant);
    expect(partly.target).toMatchObject({ endpoints: [], kind: null });
    expect((await of(['pg-1'])).definition.targets).toEqual(['pg-1']);
    const { queries: one } = await countQueries(() => of(['pg-1']));
    const { queries: all } = await countQueries(() => of(['web-1', 'web-2', 'pg-1', 'lone']));
    expect([one, all]).toEqual([5, 5]);
  });
});

describe('a new group', () => {
  it('gets its first members with it, or is not created', async () => {
    const made = await sendRequest<SecurityGroup>(
      '/security-groups',
      { name: 'both', workload_ids: [id['pg-1'], id.lone] },
      engineerOfTenant,
    );
    expect(made).toMatchObject({ members_total: 2, tenant_id: tenant.id });
    const body = { name: 'strangers', workload_ids: [id.lone, id.secret] };
    expect((await call('/security-groups', { headers: engineerOfTenant, body })).status).toBe(400);
    const list = await call('/security-groups?q=strangers', { headers: engineerOfTenant });
    expect(await list.json()).toMatchObject({ total: 0 });
  });
});
