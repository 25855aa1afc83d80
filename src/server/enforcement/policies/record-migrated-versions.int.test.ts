import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy } from '@/domain/policies';
import { verifyAuditTrail } from '@/server/audit/trail';
import { systemScope } from '@/server/auth/scope';
import { recordMigratedVersions } from './history';
import { makePolicyLab, type PolicyLab } from './testing/policy-lab.fixture';

let lab: PolicyLab;
let policy: Policy;
beforeAll(async () => {
  lab = await makePolicyLab();
  policy = await lab.create({
    definition: { enforcement_mode: 'enforced', sources: ['network:vmbr0'], targets: ['vmid:103'] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }],
  });
}, 60_000);
afterAll(() => lab.close());

const status = async () => (await lab.fresh(policy.id)).deployment_status;

describe('a policy whose networks were named with their cluster by the upgrade', () => {
  it('stays in sync, and an audit record of the system says what changed, once', async () => {
    const { sql } = lab;
    await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      select gen_random_uuid(), cluster_id, id, '10.77.0.0/16', 'manual' from networks where name = 'vmbr0'`;
    await lab.apply(policy);
    expect(await status()).toBe('active');
    const sources = [`network:${lab.cluster.name}/vmbr0`];
    const definition = { ...policy.definition, sources };
    // As the migration does it.
    await sql`update policies set definition = ${sql.json(definition)}, version = 2, rules_version = 1 where id = ${policy.id}`;
    await sql`insert into policy_versions (id, policy_id, version, snapshot, reason)
      select gen_random_uuid(), policy_id, 2, snapshot || ${sql.json({ definition })}, 'Networks named with their cluster'
      from policy_versions where policy_id = ${policy.id}`;
    expect(await status()).toBe('active');

    expect(await Promise.all([recordMigratedVersions(), recordMigratedVersions()])).toEqual(
      expect.arrayContaining([0, 1]),
    );
    expect(await recordMigratedVersions()).toBe(0);
    const records = await sql`select * from audit_records where object_id = ${policy.id} and action = 'policy.updated'`;
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      actor_kind: 'system',
      object_name: policy.name,
      before: { version: 1, definition: { sources: ['network:vmbr0'] } },
      after: { version: 2, definition: { sources } },
    });
    expect(await verifyAuditTrail(systemScope('audit:read', 'test'))).toMatchObject({ broken: null });
  });

  it('turns stale with a version that compiles to something else, and not with a new name', async () => {
    const renamed = await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { description: 'why it is' } });
    expect(renamed).toMatchObject({ status: 200, body: { version: 3 } });
    expect(await status()).toBe('active');
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { rules: [{ action: 'drop' }] } });
    expect(await lab.fresh(policy.id)).toMatchObject({
      deployment_status: 'stale',
      deployments: [{ reasons: expect.arrayContaining(['version_behind']) }],
    });
  });
});
