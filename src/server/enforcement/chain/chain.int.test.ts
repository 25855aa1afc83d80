import type { EnforcementReport, FirewallStatus, NicEnforcement } from '@fabric/agent-contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WorkloadChain } from '@/domain/enforcement-chain/workload-chain';
import type { Policy } from '@/domain/policies';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { makeDiagnostics, ReportingAgent } from '../../traffic/agents/testing/reporting-agent.fixture';
import { clearSnapshotCaches } from '../guest-firewall/live-reader';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';

const GUEST = 103;
let lab: PolicyLab;
let policy: Policy;
let workloadId: string;
let agent: ReportingAgent;
let user: Awaited<ReturnType<typeof makeUser>>;
let admin: Record<string, string>;
let applied: string;
let nodeName: string;

beforeAll(async () => {
  lab = await makePolicyLab();
  policy = await lab.create({
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.0.0.0/8'],
      targets: [`vmid:${GUEST}`],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }],
  });
  await lab.apply(policy);
  workloadId = (await lab.workload(GUEST)).id;
  applied = lab.control.firewall.guestFile(GUEST) ?? '';
  nodeName = lab.control.guest(GUEST).node;
  user = await makeUser('admin');
}, 60_000);
afterAll(() => lab.close());
beforeEach(async () => {
  admin = await bearer(user);
});

const read = async (headers = admin) => {
  clearSnapshotCaches();
  const response = await call(`/workloads/${workloadId}/enforcement`, { headers });
  return { status: response.status, body: (await response.json()) as WorkloadChain };
};
const chain = async () => (await read()).body;
const getCodes = (body: WorkloadChain) =>
  Object.fromEntries((body.interfaces[0]?.links ?? []).map(({ link, code }) => [link, code]));

const RUNNING: FirewallStatus = {
  implementation: 'iptables',
  service_running: true,
  cluster_enabled: true,
  rules_loaded: true,
  guest_chains: 2,
};
const NIC: NicEnforcement = {
  interface: `tap${GUEST}i0`,
  vmid: GUEST,
  nic: 0,
  present: true,
  bridge: `fwbr${GUEST}i0`,
  chains: true,
};
type Reported = {
  firewall?: Partial<FirewallStatus>;
  nic?: Partial<NicEnforcement>;
  hash?: string | null;
  ipv6?: boolean;
};
async function report({ firewall, nic, hash = 'first', ipv6 = true }: Reported = {}) {
  const enforcement: EnforcementReport = { version: 1, ruleset_hash: hash, interfaces: [{ ...NIC, ...nic }] };
  const kernel = { bridge_nf_call_iptables: true, bridge_nf_call_ip6tables: ipv6 };
  await agent.report(
    {},
    {
      firewall_status: { ...RUNNING, ...firewall },
      flow_diagnostics: { ...makeDiagnostics(), ...kernel },
      enforcement,
    },
  );
}

describe('without an agent', () => {
  it('knows the switches, and leaves open what only the node sees', async () => {
    const { body } = await read();
    expect(body).toMatchObject({
      workload_id: workloadId,
      enforced: 'unknown',
      agent: { state: 'none', reported_at: null },
      node: { name: nodeName },
      interfaces: [{ nic: 'net0', enforced: 'unknown', implementation: 'iptables', first_broken: null }],
    });
    expect(getCodes(body)).toMatchObject({
      cluster_firewall: 'cluster_on',
      firewall_service: 'no_agent',
      guest_firewall: 'guest_on',
      nic_flag: 'nic_on',
      firewall_bridge: 'no_agent',
      ruleset_compiled: 'no_agent',
    });
    expect(body.interfaces[0]?.links.find(({ link }) => link === 'firewall_service')).toEqual({
      link: 'firewall_service',
      state: 'unknown',
      code: 'no_agent',
      detail: 'Only an agent on the node sees this, and the node has none.',
      fix: { action: 'install_agent', text: 'Install the agent on the node.' },
    });
  });
});

describe('with an agent', () => {
  beforeAll(async () => {
    const [row] = await lab.sql<{ id: string }[]>`select id from nodes where name = ${nodeName}`;
    agent = await ReportingAgent.enroll({ id: row?.id ?? '' });
  });
  beforeEach(() => report());

  it('finds every link of a filtered interface intact', async () => {
    const body = await chain();
    expect(body.agent).toEqual({ state: 'reporting', reported_at: expect.any(String) });
    expect(getCodes(body)).toMatchObject({
      firewall_service: 'iptables_running',
      firewall_bridge: 'bridge_present',
      bridge_netfilter: 'netfilter_on',
      ruleset_compiled: 'compiled',
      ruleset_current: 'loaded',
      default_policy: 'default_deny',
    });
    expect(body.interfaces[0]?.first_broken).toBeNull();
  });

  it.each<[string, Reported, string, string]>([
    ['a stopped service', { firewall: { service_running: false } }, 'firewall_service', 'service_stopped'],
    ['an interface on the plain bridge', { nic: { bridge: 'vmbr0' } }, 'firewall_bridge', 'bridge_missing'],
    ['the firewall bridge of another', { nic: { bridge: `fwbr${GUEST}i1` } }, 'firewall_bridge', 'bridge_missing'],
    ['bridge netfilter that is off', { ipv6: false }, 'bridge_netfilter', 'netfilter_off_ipv6'],
    ['chains that are not loaded', { nic: { chains: false } }, 'ruleset_compiled', 'chains_missing'],
    ['nothing loaded', { firewall: { rules_loaded: false } }, 'ruleset_compiled', 'nothing_loaded'],
  ])('names %s as the first broken link', async (_title, reported, link, code) => {
    await report(reported);
    const body = await chain();
    expect(body).toMatchObject({ enforced: 'no', interfaces: [{ enforced: 'no', first_broken: link }] });
    expect(getCodes(body)[link]).toBe(code);
  });

  it('leaves out what only iptables has under nftables', async () => {
    const file = `nodes/${nodeName}/host.fw`;
    lab.control.firewall.setFile(file, '[OPTIONS]\n\nnftables: 1\n');
    await lab.settle();
    await report({ firewall: { implementation: 'nftables' }, nic: { bridge: 'vmbr0' }, ipv6: false });
    const body = await chain();
    expect(body.interfaces[0]).toMatchObject({ implementation: 'nftables', first_broken: null });
    expect(getCodes(body)).toMatchObject({ firewall_service: 'nftables_running', ruleset_compiled: 'compiled' });
    expect(Object.keys(getCodes(body))).not.toContain('firewall_bridge');
    await report({ firewall: { implementation: 'iptables' } });
    expect(getCodes(await chain()).firewall_service).toBe('implementation_differs');
    lab.control.firewall.setFile(file, undefined);
    await lab.settle();
    await chain();
    await report({ hash: 'iptables again' });
  });

  it('finds that the last edit is not loaded, once the node had time, and that a comment needs nothing', async () => {
    const edited = applied.replace('[RULES]\n', '[RULES]\n\nIN ACCEPT -p tcp -dport 8443 -log nolog\n');
    lab.control.firewall.setFile(`firewall/${GUEST}.fw`, `# nothing\n${applied}`);
    await lab.settle();
    expect(getCodes(await chain()).ruleset_current).toBe('loaded');
    lab.control.firewall.setFile(`firewall/${GUEST}.fw`, edited);
    await lab.settle();
    expect(getCodes(await chain()).ruleset_current).toBe('waiting');
    lab.ahead(60_000);
    await report();
    expect(getCodes(await chain()).ruleset_current).toBe('not_loaded');
    await report({ hash: 'third' });
    expect(getCodes(await chain()).ruleset_current).toBe('loaded');
    lab.control.firewall.setFile(`firewall/${GUEST}.fw`, applied);
    await lab.settle();
  });

  it('accepts agents that do not report interfaces, and leaves these links open', async () => {
    await agent.report(
      {},
      { firewall_status: RUNNING, flow_diagnostics: { ...makeDiagnostics(), bridge_nf_call_iptables: true } },
    );
    expect(getCodes(await chain())).toMatchObject({
      firewall_service: 'iptables_running',
      firewall_bridge: 'agent_outdated',
      bridge_netfilter: 'netfilter_unread',
      ruleset_compiled: 'agent_outdated',
    });
  });

  it('finds a flag that is off first, whatever the agent says', async () => {
    lab.control.firewall.setFile(`firewall/${GUEST}.fw`, applied.replace('enable: 1', 'enable: 0'));
    await lab.settle();
    expect((await chain()).interfaces[0]).toMatchObject({ enforced: 'no', first_broken: 'guest_firewall' });
    lab.control.firewall.setFile(`firewall/${GUEST}.fw`, applied);
    await lab.settle();
  });
});

it('does not name the node to those who may not read clusters, and nothing to other tenants', async () => {
  const [ours, theirs] = [await makeTenant(), await makeTenant()];
  const project = await makeProject(ours);
  await call('/workloads/assign', {
    method: 'POST',
    headers: admin,
    body: { project_id: project.id, workload_ids: [workloadId] },
  });
  const own = await read(await bearer(await makeUser('viewer', ours)));
  expect(own).toMatchObject({ status: 200, body: { node: null, interfaces: [{ nic: 'net0' }] } });
  expect((await read(await bearer(await makeUser('viewer', theirs)))).status).toBe(404);
});
