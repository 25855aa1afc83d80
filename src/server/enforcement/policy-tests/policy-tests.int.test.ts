import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';
import { assignAddresses } from './testing/addresses.fixture';

let lab: PolicyLab;
let serial = 0;

beforeAll(async () => {
  lab = await makePolicyLab();
  const policy = await lab.create({
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.1.0.0/16'],
      targets: ['vmid:103', 'vmid:104'],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'], comment: 'web' }],
  });
  await assignAddresses(lab, { 103: '10.1.0.3', 104: '10.1.0.4', 105: '10.2.0.2' });
  await lab.apply(policy);
  await lab.observe();
}, 60_000);
afterAll(() => lab.close());

type Answer = { status: number; body: PolicyTest & { code?: string; errors?: { field: string }[] } };
const send = async (path: string, init?: object) => (await lab.json(path, init)) as unknown as Answer;
const create = async (input: object): Promise<Answer> => {
  serial += 1;
  const base = { name: `test ${serial}`, expect: 'allow', from: ['10.1.0.0/16'], to: ['vmid:103'] };
  return send('/policy-tests', { body: { ...base, protocol: 'tcp', ports: ['443'], ...input } });
};

describe('policy tests', () => {
  it('pass where every packet is accepted, and name the packet and the rule where one is not', async () => {
    const passing = await create({});
    expect([passing.status, passing.body]).toMatchObject([
      201,
      { result: 'pass', counterexample: null, deciding: null, failing_since: null, caused_by: null, version: 1 },
    ]);
    const failing = await create({ from: ['10.1.0.0/16', '10.9.0.7'] });
    expect(failing.body).toMatchObject({
      result: 'fail',
      counterexample: { source: '10.9.0.7', destination_port: 443, protocol: 6, source_workload: null },
      deciding: { kind: 'default', side: 'destination', detail: 'DROP' },
      failing_since: expect.any(String),
      caused_by: { kind: 'created', action: 'policy_test.created' },
    });
  });

  it('name the policy behind the rule that lets a denied packet in', async () => {
    const { body } = await create({ expect: 'deny', from: ['any'] });
    expect(body).toMatchObject({
      result: 'fail',
      deciding: { kind: 'rule', policy_name: expect.stringMatching(/^policy /) },
    });
    const except = await create({ expect: 'deny', from: ['any', '!10.1.0.0/16'] });
    expect(except.body.result).toBe('pass');
  });

  it('return unknown over an empty group, never passed', async () => {
    const group = await lab.json('/security-groups', { body: { name: 'empty' } });
    expect(group.status).toBe(201);
    for (const expected of ['allow', 'deny']) {
      const { body } = await create({ expect: expected, to: ['sg:empty'] });
      expect(body).toMatchObject({ result: 'unknown', unknown_reason: 'nothing_resolved' });
    }
  });

  it('say where nothing filters', async () => {
    const to = ['vmid:105'];
    const allowed = await create({ to });
    expect(allowed.body).toMatchObject({ result: 'pass', not_filtered_total: 1 });
    const denied = await create({ to, expect: 'deny' });
    expect(denied.body).toMatchObject({
      result: 'fail',
      deciding: { kind: 'not_enforced', detail: expect.stringMatching(/_off$/) },
    });
  });

  it('change against the version that was read and run again', async () => {
    const { body: test } = await create({});
    const changed = await send(`/policy-tests/${test.id}`, { method: 'PATCH', body: { ports: ['444'], version: 1 } });
    expect(changed.body).toMatchObject({ version: 2, result: 'fail', caused_by: { action: 'policy_test.updated' } });
    const stale = await send(`/policy-tests/${test.id}`, { method: 'PATCH', body: { ports: ['443'], version: 1 } });
    expect(stale.status).toBe(409);
    const unchanged = await send(`/policy-tests/${test.id}`, { method: 'PATCH', body: { ports: ['444'] } });
    expect(unchanged.body.version).toBe(2);
    const taken = await create({ name: test.name });
    expect(taken.status).toBe(409);
    expect((await send(`/policy-tests/${test.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await send(`/policy-tests/${test.id}`)).status).toBe(404);
  });

  it.each([
    [{ protocol: 'icmp' }, 'ports'],
    [{ from: [] }, 'from'],
    [{ from: ['!any'] }, 'from'],
    [{ to: ['node:x'] }, 'to.0'],
    [{ expect: 'maybe' }, 'expect'],
  ])('refuse %o', async (input, field) => {
    const { status, body } = await create(input);
    expect([status, body.errors?.[0]?.field]).toEqual([expect.any(Number), field]);
    expect(status).toBeGreaterThanOrEqual(400);
  });

  it('list by result, workload and policy', async () => {
    const id = await lab.id(105);
    const list = async (query: string) => {
      const { body } = await lab.json(`/policy-tests?${query}`);
      return (body as { items: PolicyTest[] }).items;
    };
    const failing = await list('result=fail&sort=-failing_since');
    expect(failing.length).toBeGreaterThan(1);
    expect(failing.every(({ result }) => result === 'fail')).toBe(true);
    const here = await list(`workload_id=${id}`);
    expect(here.some(({ to }) => to.includes('vmid:105'))).toBe(true);
    expect(here.some(({ to }) => to.includes('sg:empty'))).toBe(false);
    expect(await list(`workload_id=${id}&q=sg:empty`)).toEqual([]);
  });
});
