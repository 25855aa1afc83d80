import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_ROLES } from '@/domain/permissions';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { routes } from '@/server/rest/routes';
import { call } from '@/test/request';
import { appRouter } from '../root';
import { type Asker, collectAnswers, listDifferences, listReadableInputs } from './collect-answers.fixture';
import { computeImpactsInline } from './impacts.fixture';
import { fill, send } from './inputs.fixture';
import { replaceOtherTenant } from './other-tenant.fixture';
import { observe } from './platform.fixture';
import { makeTwoFullProjects, type ProjectUser } from './two-projects.fixture';
import { THEIR_MARK, type TwoTenants } from './two-tenants.fixture';

const ROLE = { role: 'admin', permissions: BUILT_IN_ROLES.admin.permissions, tenant_id: 't', project_id: 'p' };

let tenants: TwoTenants;
let user: ProjectUser;
let us: Asker;
beforeAll(async () => {
  computeImpactsInline();
  ({ tenants, user } = await makeTwoFullProjects());
  await user.signIn();
  await tenants.ours.signIn();
  us = { tenants, inputs: listReadableInputs([ROLE]), headers: user.headers };
  const now = clock.now();
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(now));
  await observe(tenants);
}, 180_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await tenants.lab.close();
});

const read = async (path: string, headers = user.headers()) => {
  const answer = await call(path, { headers });
  return { status: answer.status, text: await answer.text() };
};

/** Ids of the rows, without aggregates: the ids of those are made of what the reader sees of their endpoints. */
const idsIn = (text: string): string[] =>
  JSON.parse(text)
    .items.map((item: { id?: string }) => item.id ?? '')
    .filter((id: string) => !id.includes('|'));

describe('a role for one project', () => {
  it('shows the workloads, addresses and flows of the project', async () => {
    const { ids } = tenants.ours;
    for (const path of [
      `/workloads/${ids.workload}`,
      `/workloads/${ids.workload}/firewall`,
      `/workloads/${ids.workload}/insights`,
      `/ip-addresses/${ids.ip_address}`,
      `/subnets/${ids.subnet}`,
      `/networks/${ids.network}`,
      `/projects/${ids.project}`,
      `/policies/${ids.policy}`,
      `/security-groups/${ids.security_group}`,
    ]) {
      expect(await read(path), path).toMatchObject({ status: 200 });
    }
    for (const path of [
      '/workloads',
      '/ip-addresses',
      '/flows',
      '/projects',
      '/ipam/conflicts',
      '/policies',
      `/policies/${ids.policy}/guests`,
      '/security-groups',
      `/security-groups/${ids.security_group}/members`,
    ]) {
      const { status, text } = await read(path);
      expect(status, path).toBe(200);
      expect(JSON.parse(text).items.length, path).toBeGreaterThan(0);
    }
    // That of the tenant has rules on workloads of the project.
    const [named, found] = await Promise.all([
      read(`/ip-addresses/${ids.ip_address}/policies`),
      read(`/policies/${ids.policy}`),
    ]);
    const { policies } = JSON.parse(named.text);
    const { deployment_status } = JSON.parse(found.text);
    expect(policies).toContainEqual(expect.objectContaining({ policy_id: ids.policy, deployment_status }));
  });

  it('sums up the traffic of the project and counts the policies that touch it', async () => {
    const { traffic, top_talkers, policies } = JSON.parse((await read('/dashboard')).text);
    expect(traffic.sums.flows).toBeGreaterThan(0);
    expect(top_talkers.length).toBeGreaterThan(0);
    const whole = JSON.parse((await read('/dashboard', tenants.ours.headers)).text).traffic;
    expect(traffic.sums.flows).toBeLessThanOrEqual(whole.sums.flows);
    // One of the tenant that touches it, one of its own.
    expect(policies.total).toBe(2);
  });

  it('shows of every list a part of what the tenant sees', async () => {
    const lists = us.inputs.filter(({ surface, path }) => surface === 'REST' && !path.includes('{'));
    let compared = 0;
    for (const { path } of lists) {
      const mine = await read(`${path}?limit=100`);
      if (mine.status !== 200 || !mine.text.includes('"items"')) continue;
      const ofTenant = await read(`${path}?limit=100`, tenants.ours.headers);
      const all = new Set(idsIn(ofTenant.text));
      expect(
        idsIn(mine.text).filter((id) => !all.has(id)),
        path,
      ).toEqual([]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(8);
  });

  it('answers what belongs to an object of the project in each list', async () => {
    const reads = us.inputs.filter(({ surface }) => surface === 'REST');
    const isOfProject = ({ project_id = tenants.ours.ids.project }) => project_id === tenants.ours.ids.project;
    // Of workloads that moved away, for those who had them.
    const FORMER = '/workloads/{workload_id}/former';
    const missing: string[] = [];
    let asked = 0;
    for (const { path } of reads.filter((input) => !input.path.includes('{'))) {
      const { status, text } = await read(`${path}?limit=100`);
      if (status !== 200 || !text.includes('"items"')) continue;
      const { id } = JSON.parse(text).items.find(isOfProject) ?? {};
      const details = reads.filter((input) => input.path.startsWith(`${path}/{`) && input.path.split('{').length === 2);
      for (const detail of id ? details : []) {
        const found = await read(detail.path.replace(/\{\w+\}/, id));
        asked += 1;
        if (found.status === 404 && detail.path !== FORMER) missing.push(`${detail.path}: ${found.text}`);
      }
    }
    expect(missing).toEqual([]);
    expect(asked).toBeGreaterThan(20);
  });

  it('names nothing of another project of the tenant', async () => {
    for (const input of us.inputs) {
      const { text } = await send({ routes, router: appRouter }, input, fill(input, tenants.ours.ids), user.headers());
      expect(text, input.name).not.toContain(THEIR_MARK);
    }
  });

  it('shows nothing from before a workload came to the project', async () => {
    const { workload = '', other_workload = '', project = '', ip_address = '' } = tenants.ours.ids;
    const sql = sqlClient();
    const holders = async () => JSON.parse((await read(`/ip-addresses/${ip_address}`)).text).history.length;
    const about = async (id: string) => {
      const [flows, insights] = await Promise.all(
        [`/flows?workload_id=${id}`, `/workloads/${id}/insights`].map(async (path) =>
          JSON.parse((await read(path)).text),
        ),
      );
      return [flows.items.length, insights.flows.length];
    };
    await sql`insert into ip_address_history (id, cluster_id, network_id, address, workload_id, workload_name, workload_external_id, source, from_at, until_at)
      select gen_random_uuid(), cluster_id, network_id, address, workload_id, 'then', 'qemu/100', 'manual', now() - interval '2 days', now() - interval '1 day'
      from ip_addresses where id = ${ip_address}`;
    expect(Math.min(...(await about(workload)))).toBeGreaterThan(0);
    const held = await holders();
    expect(held).toBeGreaterThan(0);
    // It leaves the project and comes back: the database notes when.
    await sql`update workloads set project_id = null where id in ${sql([workload, other_workload])}`;
    expect((await read(`/workloads/${workload}`)).status).toBe(404);
    await sql`update workloads set project_id = ${project} where id in ${sql([workload, other_workload])}`;
    expect((await read(`/workloads/${workload}`)).status).toBe(200);
    // The clock of the lab runs ahead of the database.
    const noted =
      await sql`update workloads set project_since = (select max(created_at) from traffic_flows) + interval '1 second'
      where id in ${sql([workload, other_workload])} and project_since is not null returning id`;
    expect(noted).toHaveLength(2);
    expect(await about(workload)).toEqual([0, 0]);
    expect(await holders()).toBeLessThan(held);
    await sql`update workloads set project_since = null where id in ${sql([workload, other_workload])}`;
    expect(Math.min(...(await about(workload)))).toBeGreaterThan(0);
  });

  it('returns the same, whatever is in another project of the tenant', async () => {
    // The calls of pages ask the same services.
    const asker = { ...us, inputs: us.inputs.filter(({ surface }) => surface === 'REST') };
    const since = Date.now();
    // Its own policies and groups besides those that touch it.
    const own = {
      ...asker,
      tenants: { ...tenants, ours: { ...tenants.ours, ids: user.ids } },
      inputs: asker.inputs.filter(({ path }) => /^.(policies|security-groups|deployments)/.test(path)),
    };
    const first = await collectAnswers(asker, since);
    const firstOwn = await collectAnswers(own, since);
    expect(listDifferences(await collectAnswers(asker, since, 20), first)).toEqual([]);
    await replaceOtherTenant(tenants);
    const found = [
      ...listDifferences(first, await collectAnswers(asker, since)),
      ...listDifferences(firstOwn, await collectAnswers(own, since)),
    ];
    expect([...firstOwn.values()].filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(100);
    expect(found.slice(0, 10), `${found.length} answers differ`).toEqual([]);
    expect(first.size).toBeGreaterThan(500);
  });
});
