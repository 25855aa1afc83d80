import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDrift } from '@/domain/notifications/drift';
import type { Policy } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import { sqlClient } from '@/server/db/client';
import { migrationSteps } from '@/server/db/migrate';
import { makeProject, makeTenant } from '@/test/factories';
import { scheduleDeployments } from '../../deployments/schedule';
import { makePolicyLab, type PolicyLab } from '../testing/policy-lab.fixture';

const GUEST = 103;
let lab: PolicyLab;
let platform: Policy;
let tenants: Policy;
let live: string;

const file = () => lab.control.firewall.guestFile(GUEST) ?? '';
const hasMarkerFor = (policy: Policy) => (line: string) => line.includes(`p=${policy.id}`);
/** The policies of the rules in their order. */
const order = () =>
  file()
    .split('\n')
    .filter((line) => line.includes('[fabric'))
    .map((line) => (hasMarkerFor(platform)(line) ? 'platform' : 'tenant'));
const fetchPolicy = async (policy: Policy) => (await lab.json(`/policies/${policy.id}`)).body as Policy;

/** Tables as the release before tiers had them, and the rules where it put them: by priority alone. */
async function downgrade(): Promise<void> {
  const sql = sqlClient();
  await sql.unsafe('drop schema as_of cascade');
  await sql.unsafe('alter table policies drop column tier, drop column tenant_visibility');
  await sql.unsafe('alter table policy_placements drop column tier, drop column priority');
  const lines = file().split('\n');
  const ours = lines.filter((line) => line.includes('[fabric'));
  const sorted = [...ours.filter(hasMarkerFor(tenants)), ...ours.filter(hasMarkerFor(platform))];
  const first = lines.findIndex((line) => line.includes('[fabric'));
  const rest = lines.filter((line) => !line.includes('[fabric'));
  live = rest.toSpliced(first, 0, ...sorted).join('\n');
  lab.control.firewall.setFile(`firewall/${GUEST}.fw`, live);
}

async function upgrade(): Promise<void> {
  const step = migrationSteps().find(({ statements }) => statements.some((text) => text.includes('"policies_tier"')));
  for (const statement of step?.statements ?? []) await sqlClient().unsafe(statement);
}

describe('upgrading to tiers with enforced policies', () => {
  beforeAll(async () => {
    lab = await makePolicyLab();
    const tenant = await makeTenant();
    const project = await makeProject(tenant);
    await sqlClient()`update workloads set project_id = ${project.id} where id = ${await lab.id(GUEST)}`;
    const definition = { enforcement_mode: 'enforced', sources: ['any'], targets: [`vmid:${GUEST}`] };
    platform = await lab.create({
      definition,
      priority: 10,
      rules: [
        { action: 'drop', protocol: 'tcp', destination_ports: ['23'] },
        { action: 'drop', protocol: 'tcp', destination_ports: ['25'] },
      ],
    });
    tenants = await lab.create({
      definition,
      priority: 1,
      tenant_id: tenant.id,
      rules: [{ action: 'accept', protocol: 'any' }],
    });
    await lab.apply(platform);
    await lab.apply(tenants);
  }, 60_000);
  afterAll(() => lab.close());

  it('applies a tenant that accepts everything at priority 1 after the platform at 10', () => {
    expect(order()).toEqual(['platform', 'platform', 'tenant']);
  });

  it('shows the new order as pending on both sides, and changes nothing by itself', async () => {
    await downgrade();
    await upgrade();
    await lab.observe();
    const deployments = () => sqlClient()<{ n: number }[]>`select count(*)::int as n from deployments`;
    const before = await deployments();
    await scheduleDeployments();
    await lab.observe();
    expect(await deployments()).toEqual(before);
    expect(file()).toBe(live);
    for (const policy of [platform, tenants]) {
      const found = await fetchPolicy(policy);
      expect(found.deployments).toMatchObject([{ status: 'stale', reasons: ['order_pending'] }]);
      expect(describeDrift({ status: found.deployment_status, deployments: found.deployments })).toBeNull();
    }
    const { body }: { body: { items: Policy[] } } = await lab.json('/policies?shown_status=pending');
    expect(body.items.map(({ id }) => id).sort()).toEqual([platform.id, tenants.id].sort());
  });

  it('says in the preview what applying moves, moves that, and nothing else', async () => {
    const { body }: { body: PolicyPreview } = await lab.json(`/policies/${platform.id}/preview`, { body: {} });
    expect(body.totals).toMatchObject({ added: 0, removed: 0, moved: 2, kept: 0 });
    expect(body.warnings.map(({ code }) => code)).toContain('order_changes');
    await lab.apply(platform);
    expect(order()).toEqual(['platform', 'platform', 'tenant']);
    for (const policy of [platform, tenants]) expect((await lab.fresh(policy.id)).deployment_status).toBe('active');
  });

  it('shows the same order as drift when a user creates it manually afterwards', async () => {
    lab.control.firewall.setFile(`firewall/${GUEST}.fw`, live);
    await lab.observe();
    const found = await Promise.all([platform, tenants].map(fetchPolicy));
    const reasons = found.flatMap(({ deployments }) => deployments.flatMap((one) => one.reasons));
    expect(reasons).toContain('order_differs');
    expect(reasons).not.toContain('order_pending');
  });

  it('shows a changed tier of an enforced policy as pending until it is applied', async () => {
    await lab.apply(platform);
    const { body } = await lab.json(`/policies/${platform.id}`, { method: 'PATCH', body: { tier: 'platform_last' } });
    expect(body).toMatchObject({ tier: 'platform_last', deployments: [{ reasons: ['order_pending'] }] });
    await lab.apply(body);
    expect(order()).toEqual(['tenant', 'platform', 'platform']);
    expect((await lab.fresh(platform.id)).deployment_status).toBe('active');
  });

  it('warns that unmanaged rules override a platform policy where they are placed above it', async () => {
    const preview = async (policy: Policy) => {
      const { body }: { body: PolicyPreview } = await lab.json(`/policies/${policy.id}/preview`, { body: {} });
      return body.warnings.map(({ code }) => code);
    };
    expect(await preview(platform)).not.toContain('unmanaged_rules_first');
    await sqlClient()`update clusters set rule_placement = 'below' where id = ${lab.cluster.id}`;
    lab.control.firewall.setFile(`firewall/${GUEST}.fw`, `${file().trimEnd()}\nIN ACCEPT -p tcp -dport 25 # by hand\n`);
    expect(await preview(platform)).toContain('unmanaged_rules_first');
    expect(await preview(tenants)).not.toContain('unmanaged_rules_first');
    expect((await fetchPolicy(platform)).deployments).toMatchObject([{ rule_placement: 'below' }]);
  });

  it('refuses a tier that the owner of the policy cannot have, and names the field', async () => {
    const refused = async (policy: Policy, body: object) =>
      lab.json(`/policies/${policy.id}`, { method: 'PATCH', body });
    expect(await refused(tenants, { tier: 'platform_first' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'tier', message: expect.stringContaining('use tenant') }] },
    });
    expect(await refused(platform, { tier: 'tenant' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'tier', message: expect.stringContaining('platform_first or platform_last') }] },
    });
    expect(await refused(tenants, { tenant_visibility: 'hidden' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'tenant_visibility' }] },
    });
  });
});
