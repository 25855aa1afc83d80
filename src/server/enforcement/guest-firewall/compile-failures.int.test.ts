import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Node } from '@/domain/inventory';
import type { Policy } from '@/domain/policies';
import { sqlClient } from '@/server/db/client';
import { bearer, makeAgent, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { collectFindings } from '../../notifications/facts/collect-findings';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';

const GUEST = 103;
const OTHER = 104;
let lab: PolicyLab;
let policy: Policy;
let applied: string;
let cluster: string;
let node: string;
let user: Awaited<ReturnType<typeof makeUser>>;
let admin: Record<string, string>;

beforeAll(async () => {
  lab = await makePolicyLab();
  policy = await lab.create({
    definition: { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: [`vmid:${GUEST}`] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }],
  });
  await lab.apply(policy);
  applied = lab.control.firewall.guestFile(GUEST) ?? '';
  cluster = lab.control.firewall.file('firewall/cluster.fw') ?? '';
  node = lab.control.guest(GUEST).node;
  lab.control.migrate(OTHER, node);
  await lab.settle();
  await lab.sync();
  user = await makeUser('admin');
}, 60_000);
afterAll(() => lab.close());
beforeEach(async () => {
  // A sign-in lasts a quarter of an hour of the lab's own time, which a busy machine needs for a few tests.
  admin = await bearer(user);
  lab.control.firewall.setFile(`firewall/${GUEST}.fw`, applied);
  lab.control.firewall.setFile('firewall/cluster.fw', cluster);
  lab.control.firewall.setFile(`firewall/${OTHER}.fw`, undefined);
});

const nodes = async (query = ''): Promise<Node[]> =>
  ((await (await call(`/nodes?cluster_id=${lab.cluster.id}${query}`, { headers: admin })).json()) as { items: Node[] })
    .items;
const failing = async () => (await nodes()).filter(({ compile_failure }) => compile_failure !== null);
const guestFile = (rules: string, more = '') => `[OPTIONS]\n\nenable: 1\n${more}\n\n[RULES]\n\n${rules}\n`;

describe('a rule that the node cannot compile', () => {
  beforeEach(async () => {
    lab.control.firewall.setFile(`firewall/${OTHER}.fw`, guestFile('IN ACCEPT -p tcp -dport tftp -log nolog'));
    await lab.observe();
  });

  it('appears at the node, on the dashboard and in notifications', async () => {
    const [found, ...others] = await failing();
    expect(others).toEqual([]);
    const workload = await lab.workload(OTHER);
    expect(found).toMatchObject({
      name: node,
      compile_failure: {
        agent_evidence: 'none',
        failures: [
          { reason: 'service_without_protocol', scope: 'guest', vmid: OTHER, position: 0, workload_id: workload.id },
        ],
      },
    });
    const message = found?.compile_failure?.message ?? '';
    expect(message).toContain(`The firewall of node ${node} cannot compile: rule at position 0 of workload `);
    expect(message).toContain('tcp has no service named tftp. Use the port number.');
    expect((await nodes('&faulty=true')).map(({ name }) => name)).toContain(node);
    expect((await nodes('&faulty=false')).map(({ name }) => name)).not.toContain(node);
    const dashboard = (await (await call('/dashboard', { headers: admin })).json()) as {
      faulty_nodes: { fault: string }[];
    };
    expect(dashboard.faulty_nodes.map(({ fault }) => fault).join()).toContain(message);
    const { facts } = await collectFindings('all', ['node_firewall_not_compiling']);
    expect(facts).toMatchObject([{ key: found?.id, object_name: node, detail: message }]);
  });

  it('gets confirmed by a reporting agent, and not by a stale one', async () => {
    const id = (await failing())[0]?.id ?? '';
    await makeAgent({ id });
    const evidence = async (status: string) => {
      await sqlClient()`update node_agents set status = ${status}, nftables_ruleset_hash = 'abc',
        last_heartbeat_at = now() + interval '1 year' where node_id = ${id}`;
      return (await failing())[0]?.compile_failure?.agent_evidence;
    };
    expect(await evidence('ok')).toBe('ruleset_unchanged');
    expect(await evidence('silent')).toBe('none');
    await sqlClient()`delete from node_agents where node_id = ${id}`;
  });

  it('keeps the time since which it fails, and ends when the rule is corrected', async () => {
    const since = (await failing())[0]?.compile_failure?.since;
    await lab.observe();
    expect((await failing())[0]?.compile_failure?.since).toBe(since);
    lab.control.firewall.setFile(`firewall/${OTHER}.fw`, guestFile('IN ACCEPT -p udp -dport tftp -log nolog'));
    await lab.observe();
    expect(await failing()).toEqual([]);
  });

  it('makes policies on every guest of the node partial', async () => {
    expect(await lab.fresh(policy.id)).toMatchObject({
      deployment_status: 'partial',
      deployments: [{ reasons: ['node_cannot_compile'], live: 1 }],
    });
  });

  it('causes a warning in the preview that does not mention the other guest', async () => {
    const { body } = await lab.json(`/policies/${policy.id}/preview`, { method: 'POST', body: {} });
    const text = JSON.stringify((body as { warnings: unknown }).warnings);
    expect(text).toContain('node_cannot_compile');
    expect(text).not.toContain('tftp');
  });

  it('does not count as a failure of a node that uses nftables', async () => {
    lab.control.firewall.setFile(`nodes/${node}/host.fw`, '[OPTIONS]\n\nnftables: 1\n');
    await lab.observe();
    expect(await failing()).toEqual([]);
    lab.control.firewall.setFile(`nodes/${node}/host.fw`, undefined);
  });
});

it('names what stops a node with nftables, and nothing of it elsewhere', async () => {
  lab.control.firewall.setFile(
    `firewall/${OTHER}.fw`,
    guestFile('GROUP gone\nIN ACCEPT -p tcp -dport tftp -log nolog'),
  );
  lab.control.firewall.setFile(`nodes/${node}/host.fw`, '[OPTIONS]\n\nnftables: 1\n');
  await lab.settle();
  await lab.observe();
  expect(lab.control.enforcement.compileOf(node).failure).toContain('group-gone');
  expect(await failing()).toMatchObject([
    { compile_failure: { failures: [{ reason: 'group_missing', scope: 'guest', vmid: OTHER, detail: 'gone' }] } },
  ]);
  expect((await failing())[0]?.compile_failure?.message).toContain('there is no PVE security group gone');
  expect(await lab.fresh(policy.id)).toMatchObject({ deployments: [{ reasons: ['node_cannot_compile'] }] });
  lab.control.firewall.setFile(`nodes/${node}/host.fw`, undefined);
  await lab.observe();
  expect(await failing()).toMatchObject([{ compile_failure: { failures: [{ reason: 'service_without_protocol' }] } }]);
});

it('reads a network device model that proxmox-firewall does not know', async () => {
  lab.control.firewall.setFile(`firewall/${OTHER}.fw`, '[OPTIONS]\n\nenable: 0\n');
  lab.control.firewall.setFile(`nodes/${node}/host.fw`, '[OPTIONS]\n\nnftables: 1\n');
  const { current } = lab.control.guest(OTHER).config;
  const before = current.get('net0') ?? '';
  current.set('net0', before.replace(/^\w+=/, 'e1000e='));
  await lab.settle();
  await lab.observe();
  expect(lab.control.enforcement.compileOf(node).failure).toContain('e1000e');
  expect(await failing()).toMatchObject([
    { compile_failure: { failures: [{ reason: 'nic_model_unknown', nic: 'net0', detail: 'e1000e' }] } },
  ]);
  current.set('net0', before);
  lab.control.firewall.setFile(`nodes/${node}/host.fw`, undefined);
});

it('finds entries of IP sets that ipset refuses, and follows an alias that is edited', async () => {
  const set = '[IPSET peers]\n\neverything\n';
  lab.control.firewall.setFile('firewall/cluster.fw', `${cluster}\n[ALIASES]\n\neverything 10.0.0.0/8\n`);
  lab.control.firewall.setFile(`firewall/${OTHER}.fw`, `[OPTIONS]\n\nenable: 0\n\n${set}`);
  await lab.observe();
  expect(await failing()).toEqual([]);
  lab.control.firewall.setFile('firewall/cluster.fw', `${cluster}\n[ALIASES]\n\neverything 0.0.0.0/0\n`);
  await lab.observe();
  expect(await failing()).toMatchObject([
    { compile_failure: { failures: [{ reason: 'set_entry_covers_everything', set: 'peers', vmid: OTHER }] } },
  ]);
});

it('warns before switching on a guest whose stored rules the node cannot compile', async () => {
  const off = guestFile('IN ACCEPT -p tcp -dport ntp -log nolog').replace('enable: 1', 'enable: 0');
  lab.control.firewall.setFile(`firewall/${OTHER}.fw`, off);
  await lab.observe();
  expect(await failing()).toEqual([]);
  const draft = {
    name: 'switches on',
    definition: { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: [`vmid:${OTHER}`] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }],
  };
  const created = await lab.create(draft);
  const { body } = await lab.json(`/policies/${created.id}/preview`, { method: 'POST', body: {} });
  const warnings = (body as { warnings: { code: string; message: string }[] }).warnings;
  expect(warnings.find(({ code }) => code === 'node_would_not_compile')?.message).toContain(
    'tcp has no service named ntp',
  );
});

describe('an ICMP type that proxmox-firewall does not know', () => {
  const content = (icmp_type: string) => ({
    name: `ICMP ${icmp_type}`,
    definition: { enforcement_mode: 'enforced', sources: ['any'], targets: [`vmid:${OTHER}`] },
    rules: [{ action: 'accept', protocol: 'icmpv6', icmp_type }],
  });

  it('gets refused in a policy, with the field and the remedy', async () => {
    const { status, body } = await lab.json('/policies', { method: 'POST', body: content('reject-route') });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      errors: [{ field: 'rules.0.icmp_type', message: expect.stringContaining('Use destination-unreachable') }],
    });
  });

  it('stops no node where a stored policy has it, and is named by the preview and the apply', async () => {
    lab.control.firewall.setFile(`nodes/${node}/host.fw`, '[OPTIONS]\n\nnftables: 1\n');
    await lab.settle();
    await lab.observe();
    const created = await lab.create(content('echo-request'));
    await sqlClient()`update security_rules set icmp_type = 'reject-route' where policy_id = ${created.id}`;
    const { body } = await lab.json(`/policies/${created.id}/preview`, { method: 'POST', body: {} });
    const { warnings } = body as { warnings: { code: string; message: string }[] };
    expect(warnings.find(({ code }) => code === 'icmp_type_unreadable')?.message).toContain('reject-route');
    const applied = await lab.json(`/policies/${created.id}/apply`, { method: 'POST', body: {} });
    expect(applied.status).toBe(422);
    expect(JSON.stringify(applied.body)).toContain('nodes with nftables cannot read the ICMP type reject-route');
    expect(lab.control.enforcement.compileOf(node).failure).toBeUndefined();
    lab.control.firewall.setFile(`nodes/${node}/host.fw`, undefined);
  });
});
