import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GuestFirewall, PacketVerdict } from '@/domain/guest-firewall';
import type { AddressPolicies } from '@/domain/ipam/address-policies';
import type { Policy } from '@/domain/policies';
import { TENANT_VISIBILITIES, type TenantVisibility } from '@/domain/policy/tier';
import type { PolicyPreview } from '@/domain/policy-preview';
import type { Reach } from '@/domain/reach/reach';
import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';

const GUEST = 103;
/** Text that only those may see who may see the rules. */
const SECRETS = ['4444', '203.0.113.77', 'why it is there', 'fabric-v4-', '203.0.113.1,'];
let lab: PolicyLab;
let user: Awaited<ReturnType<typeof makeUser>>;
let workload: string;
let address: string;
let platform: Policy;
let own: Policy;

const asTenant = async (path: string, body?: object): Promise<{ text: string; body: never }> => {
  const init = { ...(body && { method: 'POST', body }), headers: await bearer(user) };
  const answer = await lab.json(path, init);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { text: JSON.stringify(answer.body), body: answer.body };
};

beforeAll(async () => {
  lab = await makePolicyLab();
  const sql = sqlClient();
  const tenant = await makeTenant();
  const project = await makeProject(tenant);
  user = await makeUser('admin', tenant);
  workload = await lab.id(GUEST);
  await sql`update workloads set project_id = ${project.id} where id = ${workload}`;
  const [network] = await sql<{ id: string; cluster_id: string }[]>`select id, cluster_id from networks limit 1`;
  const [network_id, cluster_id, subnet] = [network?.id ?? '', network?.cluster_id ?? '', newId()];
  await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (${subnet}, ${cluster_id}, ${network_id}, '10.77.0.0/24', 'manual')`;
  address = newId();
  await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
    values (${address}, ${cluster_id}, ${network_id}, ${subnet}, '10.77.0.5', ${workload}, 'manual')`;
  const scattered = Array.from({ length: 120 }, (_, i) => `198.18.1.${i * 2}`);
  platform = await lab.create({
    name: 'baseline of the provider',
    definition: {
      enforcement_mode: 'enforced',
      sources: ['203.0.113.77', ...scattered],
      targets: [`vmid:${GUEST}`],
    },
    rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['4444'], comment: 'why it is there' }],
  });
  await lab.apply(platform);
  own = await lab.create({
    tenant_id: tenant.id,
    definition: { enforcement_mode: 'enforced', sources: ['any'], targets: [`vmid:${GUEST}`] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }],
  });
  await lab.apply(own);
}, 60_000);
afterAll(() => lab.close());

describe.each(TENANT_VISIBILITIES)('a platform policy that is %s for tenants', (visibility: TenantVisibility) => {
  const named = visibility !== 'hidden';
  const open = visibility === 'rules';
  /** Only what is allowed is anywhere in the answer. */
  const expectOnly = (text: string) => {
    for (const secret of open ? [] : SECRETS) expect(text).not.toContain(secret);
    if (!open) expect(text).not.toContain(platform.id);
    if (!named) expect(text).not.toContain(platform.name);
  };

  beforeAll(async () => {
    const { status } = await lab.json(`/policies/${platform.id}`, {
      method: 'PATCH',
      body: { tenant_visibility: visibility },
    });
    expect(status).toBe(200);
  });

  it('appears in the rules of the workload, with tier and action', async () => {
    const { text, body } = await asTenant(`/workloads/${workload}/firewall`);
    const [rule] = (body as GuestFirewall).rules ?? [];
    expect(rule).toMatchObject({
      type: 'in',
      action: 'DROP',
      enabled: true,
      tier: 'platform_first',
      visibility,
      policy_name: named ? platform.name : null,
      policy_id: open ? platform.id : null,
      destination_port: open ? '4444' : null,
    });
    expectOnly(text);
  });

  it('appears as the deciding rule in a packet test and in insights', async () => {
    const { text, body } = await asTenant(`/workloads/${workload}/firewall/test`, {
      direction: 'in',
      source_ip: '198.18.1.2',
      destination_ip: '10.77.0.5',
      protocol: 'tcp',
      destination_port: 4444,
    });
    const [nic] = (body as PacketVerdict).interfaces;
    expect(nic).toMatchObject({ verdict: 'drop', rules_say: { kind: 'rule', policy_id: null } });
    expect(nic?.rules_say.explanation).toContain(named ? platform.name : '(platform)');
    // A policy without a page for the reader is named, and there is no id to link to.
    const listed = { policy_id: null, name: platform.name, policy_version: expect.any(Number) };
    expect(nic?.policies).toEqual(open ? [listed] : []);
    // Only the caller's own answer contains what was asked about.
    expectOnly(text);
    expectOnly((await asTenant(`/workloads/${workload}/insights?include_rules=true`)).text);
  });

  it('appears among the policies of an address', async () => {
    const { text, body } = await asTenant(`/ip-addresses/${address}/policies`);
    const { platform: shown, hidden } = body as AddressPolicies;
    expect(shown).toEqual(named ? [{ name: platform.name, tier: 'platform_first' }] : []);
    expect(hidden).toBe(named ? 0 : 1);
    expectOnly(text);
  });

  it('appears in answers about reachability, without its addresses and ports', async () => {
    const question = { from: 'outside', to: [`vmid:${GUEST}`] };
    const { text, body } = await asTenant('/reach', question);
    const { parts, withheld } = body as Reach;
    const decided = parts.filter(({ stages }) =>
      stages.some(({ decided_by }) => decided_by.explanation.includes('platform')),
    );
    const named_too = parts.filter(({ stages }) =>
      stages.some(({ decided_by }) => decided_by.policy_name === platform.name),
    );
    expect(decided.length + named_too.length).toBeGreaterThan(0);
    expect(withheld).toBe(!open);
    expectOnly(text);
    expectOnly((await asTenant(`/workloads/${workload}/reachable-from`)).text);
    expectOnly((await asTenant('/matrix?by=network')).text);
    // Those who act for the whole installation see what it matches.
    const { body: whole } = await lab.json('/reach', { body: question });
    expect(JSON.stringify(whole)).toContain('4444');
  });

  it('appears in previews and deployments of tenants', async () => {
    // Its rules take effect with the switch that the tenant would turn on.
    const file = lab.control.firewall.guestFile(GUEST) ?? '';
    lab.control.firewall.setFile(`firewall/${GUEST}.fw`, file.replace(/^enable: 1/m, 'enable: 0'));
    const { text, body } = await asTenant(`/policies/${own.id}/preview`, {});
    const [guest] = (body as PolicyPreview).clusters[0]?.guests ?? [];
    expect(guest?.dormant?.some(({ name }) => (open ? /4444/ : /^platform rule$/).test(name))).toBe(true);
    expectOnly(text);
    await lab.apply(own);
    const [deployment] = await sqlClient()<{ id: string }[]>`
      select id from deployments where policy_id = ${own.id} order by created_at desc, id desc limit 1`;
    const [row] = await sqlClient()<{ tenant_id: string }[]>`select tenant_id from policies where id = ${own.id}`;
    await sqlClient()`update deployments set tenant_id = ${row?.tenant_id ?? ''} where id = ${deployment?.id ?? ''}`;
    const detail = await asTenant(`/deployments/${deployment?.id}/guests/${workload}`);
    expect(detail.body).toMatchObject({
      state_before: { rules: expect.arrayContaining([expect.objectContaining({ action: 'DROP' })]) },
    });
    expectOnly(detail.text);
    expectOnly((await asTenant(`/deployments/${deployment?.id}/guests`)).text);
  });
});

it('shows everything to those who act for the whole installation, whatever tenants may see', async () => {
  await lab.json(`/policies/${platform.id}`, { method: 'PATCH', body: { tenant_visibility: 'hidden' } });
  const { body } = (await lab.json(`/workloads/${workload}/firewall`)) as { body: GuestFirewall };
  expect(body.rules?.[0]).toMatchObject({ policy_name: platform.name, destination_port: '4444' });
  expect(body.rules?.[0]).not.toHaveProperty('visibility');
});
