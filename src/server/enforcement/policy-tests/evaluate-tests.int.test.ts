import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';
import { evaluatePolicyTests } from './evaluate-tests';
import { assignAddresses } from './testing/addresses.fixture';

let lab: PolicyLab;
let group: { id: string };

beforeAll(async () => {
  lab = await makePolicyLab();
  await assignAddresses(lab, { 100: '10.1.0.10', 101: '10.9.0.11', 103: '10.1.0.3', 104: '10.1.0.4' });
  group = (await lab.json('/security-groups', { body: { name: 'clients', workload_ids: [await lab.id(100)] } })).body;
  const policy = await lab.create({
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.1.0.0/16'],
      targets: ['vmid:103', 'vmid:104'],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }],
  });
  await lab.apply(policy);
  await lab.observe();
}, 60_000);
afterAll(() => lab.close());

let serial = 0;
async function create(input: object): Promise<string> {
  serial += 1;
  const base = { name: `pass ${serial}`, expect: 'allow', protocol: 'tcp', ports: ['443'] };
  const { status, body } = await lab.json('/policy-tests', { body: { ...base, ...input } });
  expect([status, body]).toMatchObject([201, { result: 'pass' }]);
  return (body as PolicyTest).id;
}
const read = async (id: string) => (await lab.json(`/policy-tests/${id}`)).body as PolicyTest;

describe('a pass over the policy tests', () => {
  it('evaluates all once, then only what changed', async () => {
    const here = await create({ from: ['sg:clients'], to: ['vmid:103'] });
    await create({ from: ['10.1.0.0/16'], to: ['vmid:104'] });
    expect(await evaluatePolicyTests()).toBeGreaterThanOrEqual(2);
    expect(await evaluatePolicyTests()).toBe(0);
    const added = await lab.json(`/security-groups/${group.id}/members`, { body: { workload_id: await lab.id(101) } });
    expect(added.status).toBe(201);
    expect(await evaluatePolicyTests()).toBe(1);
    expect(await evaluatePolicyTests()).toBe(0);
    const failing = await read(here);
    expect(failing).toMatchObject({
      result: 'fail',
      counterexample: { source: '10.9.0.11', source_workload: { id: await lab.id(101) } },
      caused_by: {
        kind: 'audit',
        action: 'security_group.members_changed',
        object_name: 'clients',
        actor_name: expect.stringContaining('@'),
      },
    });
    const removed = await lab.json(`/security-groups/${group.id}/members/${await lab.id(101)}`, { method: 'DELETE' });
    expect(removed.status).toBe(204);
    expect(await evaluatePolicyTests()).toBe(1);
    expect(await read(here)).toMatchObject({ result: 'pass', failing_since: null, caused_by: null });
  });

  it('names the rule that was edited on the cluster, and keeps since when the test fails', async () => {
    const id = await create({ from: ['10.1.0.0/16'], to: ['vmid:103'] });
    await evaluatePolicyTests();
    const file = lab.control.firewall.guestFile(103) ?? '';
    lab.control.firewall.setFile('firewall/103.fw', file.replace('-dport 443', '-dport 444'));
    await lab.observe();
    expect(await evaluatePolicyTests()).toBeGreaterThan(0);
    const failing = await read(id);
    expect(failing).toMatchObject({
      result: 'fail',
      caused_by: {
        kind: 'live_rules',
        object_kind: 'workload',
        text: expect.stringMatching(/rule at position 0 .*changed on the cluster/),
      },
    });
    lab.control.firewall.setFile('firewall/103.fw', file.replace('-dport 443', '-dport 445'));
    await lab.observe();
    await evaluatePolicyTests();
    expect((await read(id)).failing_since).toBe(failing.failing_since);
    lab.control.firewall.setFile('firewall/103.fw', file);
    await lab.observe();
    await evaluatePolicyTests();
    expect((await read(id)).result).toBe('pass');
  });

  it('names the deployment that changed the rules', async () => {
    const id = await create({ expect: 'deny', from: ['10.1.0.0/16'], to: ['vmid:104'], ports: ['8080'] });
    await evaluatePolicyTests();
    const opening = await lab.create({
      definition: { enforcement_mode: 'enforced', sources: ['10.1.0.0/16'], targets: ['vmid:104'] },
      rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['8080'] }],
    });
    await lab.apply(opening);
    await lab.observe();
    await evaluatePolicyTests();
    expect(await read(id)).toMatchObject({
      result: 'fail',
      deciding: { kind: 'rule', policy_id: opening.id },
      caused_by: { kind: 'deployment', object_kind: 'policy', object_id: opening.id, action: 'policy.apply' },
    });
  });
});
