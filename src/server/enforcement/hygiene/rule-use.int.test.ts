import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HygieneFinding, HygieneSummary } from '@/domain/hygiene/finding';
import type { Policy } from '@/domain/policies';
import { clock } from '@/server/lib/clock';
import { makeAgent } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../../traffic/agents/testing/heartbeat.fixture';
import { freshAddressBook } from '../../traffic/flows/address-book';
import { countCoverage } from '../coverage/count-coverage';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';
import { checkHygiene } from './run-hygiene';

const SERVER = '10.60.10.12';
const DAY_MS = 86_400_000;
let lab: PolicyLab;
let policy: Policy;
let agent: { authorization: string };
let node: string;

const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS).toISOString();

async function list(): Promise<HygieneFinding[]> {
  const { body } = await lab.json(`/hygiene?policy_id=${policy.id}&sort=kind`);
  return (body as { items: HygieneFinding[] }).items.filter(({ kind }) => ['broad', 'unused', 'denied'].includes(kind));
}

const describeFinding = ({ kind, rule_position, subject, unused, hits }: HygieneFinding) =>
  [kind, rule_position ?? subject, unused.join(','), hits ?? ''].join(' ').trim();

/** As if the policy, the workload and the agent had been there for two months, and all of the time had been observed. */
async function setBack() {
  const { sql } = lab;
  const all = `{["${ago(40)}","${clock.now().toISOString()}")}`;
  await sql`update agent_hours set reported = ${all}::tstzmultirange, captured = ${all}::tstzmultirange,
    tracked = ${all}::tstzmultirange where node_id = ${node}`;
  await sql`update coverage_marks set since = ${ago(40)}`;
  await sql`update workloads set created_at = ${ago(60)}`;
  await sql`update node_agents set enrolled_at = ${ago(60)}`;
  await sql`update policies set updated_at = ${ago(50)}`;
  await sql`delete from workload_placements`;
  await sql`alter table policy_versions disable trigger user`;
  await sql`update policy_versions set created_at = ${ago(50)}`;
  await sql`alter table policy_versions enable trigger user`;
}

beforeAll(async () => {
  lab = await makePolicyLab();
  const { sql, cluster } = lab;
  const [network] = await sql`select id from networks where cluster_id = ${cluster.id} and name = 'apps'`;
  const [subnet] = await sql`select id from subnets where network_id = ${network?.id} and cidr = '10.60.10.0/24'`;
  await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${SERVER}, ${await lab.id(104)}, 'manual')`;
  const [found] = await sql`select id from nodes where cluster_id = ${cluster.id} and name = 'pve2'`;
  node = found?.id;
  agent = await makeAgent({ id: node });
  policy = await lab.create({
    name: 'apps',
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.9.0.0/24', '192.0.2.0/24'],
      targets: ['vmid:104'],
      default_action: 'drop',
    },
    rules: [
      { action: 'accept', protocol: 'tcp', destination_ports: ['22'] },
      { action: 'accept', protocol: 'tcp', destination_ports: ['443', '8000-8002'] },
      { action: 'reject', protocol: 'tcp', destination_ports: ['25'] },
    ],
  });
  await lab.apply(policy);
  await lab.observe();
  await freshAddressBook();
  await countCoverage();
  const time = () => clock.now().toISOString();
  const flows = [443, 8001, 25].map((port) =>
    makeFlow({
      ...{ source_ip: '10.9.0.7', destination_ip: SERVER, source_port: 40_000 + port, destination_port: port },
      ...{ decision: 'observed', initiator: 'source', first_seen_at: time(), observed_at: time(), vmid: 104, nic: 0 },
    }),
  );
  const body = makeHeartbeat(flows, { sent_at: time() });
  await call('/agents/heartbeat', { method: 'POST', body, headers: agent });
  lab.ahead(31_000);
  await countCoverage();
}, 120_000);
afterAll(() => lab.close());

describe('findings about the use of rules', () => {
  it('claims nothing about what was not used while not all of the time was observed', async () => {
    await checkHygiene();
    expect((await list()).map(describeFinding)).toEqual(['denied 2  1']);
    const { body } = await lab.json(`/hygiene/summary?policy_id=${policy.id}`);
    expect((body as HygieneSummary).unknown).toContainEqual({ reason: 'not_monitored', policies: 1, workloads: 1 });
  });

  it('claims nothing about ports while conversations are kept for less than 7 days', async () => {
    await setBack();
    lab.ahead(16 * 60_000);
    await setBack();
    await checkHygiene();
    expect((await list()).map(describeFinding)).toEqual(['denied 2  1', 'unused 0']);
  });

  it('lists rules, ports and endpoints that were never used in the observed days', async () => {
    await lab.sql`insert into system_settings (key, value) values ('runtime', '{"flow_retention_hours": 720}')
      on conflict (key) do update set value = system_settings.value || excluded.value`;
    lab.ahead(16 * 60_000);
    await setBack();
    await checkHygiene();
    const found = await list();
    expect(found.map(describeFinding).sort()).toEqual([
      'broad 1 8000,8002',
      'broad 192.0.2.0/24 192.0.2.0/24',
      'denied 2  1',
      'unused 0',
    ]);
    expect(found.find(({ rule_position }) => rule_position === 1)?.used).toEqual(['443', '8001']);
  });

  it('narrows a rule to the ports that were used, by a change', async () => {
    const finding = (await list()).find(({ kind, rule_position }) => kind === 'broad' && rule_position === 1);
    const { status, body } = await lab.json(`/hygiene/${finding?.id}/fix`, { method: 'POST' });
    expect({ status, body }).toMatchObject({ status: 201 });
    expect(JSON.stringify(body)).toContain('"destination_ports":["443","8001"]');
  });
});
