import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy } from '@/domain/policies';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { sqlClient } from '@/server/db/client';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';
import { assignAddresses } from './testing/addresses.fixture';

let lab: PolicyLab;
let opening: Policy;
let harmless: Policy;
let test: PolicyTest;

const rule = (port: string) => ({ action: 'accept', protocol: 'tcp', destination_ports: [port] });
const definition = (target: string) => ({ enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: [target] });

beforeAll(async () => {
  lab = await makePolicyLab();
  await assignAddresses(lab, { 103: '10.1.0.3', 104: '10.1.0.4' });
  const base = await lab.create({
    definition: { ...definition('vmid:103'), targets: ['vmid:103', 'vmid:104'], default_action: 'drop' },
    rules: [rule('443')],
  });
  await lab.apply(base);
  await lab.observe();
  opening = await lab.create({ definition: definition('vmid:103'), rules: [rule('22')] });
  harmless = await lab.create({ definition: definition('vmid:104'), rules: [rule('22')] });
  const created = await lab.json('/policy-tests', {
    body: { name: 'no ssh', expect: 'deny', from: ['any'], to: ['vmid:103'], protocol: 'tcp', ports: ['22'] },
  });
  test = created.body as PolicyTest;
  expect(test.result).toBe('pass');
}, 60_000);
afterAll(() => lab.close());

type Answer = { status: number; body: Record<string, unknown> };
const apply = (policy: Policy, body: object = {}, headers: Record<string, string> = {}) =>
  lab.json(`/policies/${policy.id}/apply`, { body, headers }) as Promise<Answer>;
const records = () => sqlClient()<{ after: { override_tests?: object } }[]>`
  select after from audit_records where action = 'policy.apply_requested' and object_id = ${opening.id}`;

describe('an apply', () => {
  it('returns 409 with the tests that would fail, and starts nothing', async () => {
    const { status, body } = await apply(opening);
    expect([status, body]).toMatchObject([
      409,
      {
        reason: 'policy_tests_failing',
        applied: false,
        hidden_tests: 0,
        failing_tests: [
          {
            id: test.id,
            result: 'fail',
            counterexample: { destination: '10.1.0.3', destination_port: 22 },
            deciding: { kind: 'rule', policy_id: opening.id },
          },
        ],
      },
    ]);
    expect(await records()).toEqual([]);
    const stored = await lab.json(`/policy-tests/${test.id}`);
    expect(stored.body).toMatchObject({ result: 'pass' });
  });

  it('shows the failing tests in the preview, also of changes that are not saved', async () => {
    const preview = await lab.json(`/policies/${opening.id}/preview`, { body: {} });
    expect(preview.body).toMatchObject({ failing_tests: [{ id: test.id }], hidden_failing_tests: 0 });
    const changed = await lab.json(`/policies/${opening.id}/preview`, { body: { rules: [rule('23')] } });
    expect(changed.body).toMatchObject({ failing_tests: [] });
    const draft = { definition: definition('vmid:103'), rules: [rule('22')] };
    const drafted = await lab.json('/policy-drafts/preview', { body: draft });
    expect(drafted.body).toMatchObject({ failing_tests: [{ id: test.id, result: 'fail' }] });
  });

  it('continues when a test fails for another reason', async () => {
    const body = {
      name: 'never',
      expect: 'deny',
      from: ['10.0.0.0/8'],
      to: ['vmid:104'],
      protocol: 'tcp',
      ports: ['443'],
    };
    const { body: failing } = await lab.json('/policy-tests', { body });
    expect(failing).toMatchObject({ result: 'fail' });
    const other = await lab.create({ definition: definition('vmid:104'), rules: [rule('25')] });
    expect((await apply(other)).status).toBe(202);
  });

  it('continues when tests of other workloads fail', async () => {
    expect((await apply(harmless)).status).toBe(202);
  });

  it('needs a permission and a reason to override the tests', async () => {
    const overriding = { override_tests: { reason: 'maintenance window' } };
    // A security engineer applies policies, but cannot override tests.
    expect(await apply(opening, overriding)).toMatchObject({
      status: 403,
      body: { permission: 'policy_test:override' },
    });
    const headers = await bearer(await makeUser('admin'));
    expect((await apply(opening, { override_tests: { reason: '' } }, headers)).status).toBe(400);
    expect((await apply(opening, overriding, headers)).status).toBe(202);
    expect(await records()).toMatchObject([
      { after: { override_tests: { reason: 'maintenance window', tests: ['no ssh'] } } },
    ]);
  });

  it('counts the failing tests that the caller cannot see', async () => {
    const tenant = await makeTenant();
    const [project] = await sqlClient()<{ id: string }[]>`insert into projects (id, tenant_id, name)
      values (gen_random_uuid(), ${tenant.id}, 'p') returning id`;
    await sqlClient()`update workloads set project_id = ${project?.id ?? ''} where id = ${await lab.id(103)}`;
    const headers = await bearer(await makeUser('admin', tenant));
    const created = await lab.json('/policies', {
      headers,
      body: { name: 'of the tenant', definition: definition('vmid:103'), rules: [rule('22')] },
    });
    const { status, body } = await apply(created.body as Policy, {}, headers);
    expect([status, body]).toMatchObject([409, { failing_tests: [], hidden_tests: 1 }]);
    expect(JSON.stringify(body)).not.toContain('no ssh');
  });
});
