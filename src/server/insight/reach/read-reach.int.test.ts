import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reach } from '@/domain/reach/reach';
import { makePolicyLab, type PolicyLab } from '../../enforcement/policies/testing/policy-lab.fixture';
import { assignAddresses } from '../../enforcement/policy-tests/testing/addresses.fixture';

let lab: PolicyLab;
let groupId: string;

beforeAll(async () => {
  lab = await makePolicyLab();
  await assignAddresses(lab, { 101: '10.1.0.1', 103: '10.1.0.3', 104: '10.1.0.4', 105: '10.2.0.2' });
  const group = await lab.json('/security-groups', { body: { name: 'clients' } });
  groupId = (group.body as { id: string }).id;
  const added = await lab.json(`/security-groups/${groupId}/members`, { body: { workload_id: await lab.id(105) } });
  expect(added.status).toBe(201);
  const policy = await lab.create({
    name: 'clients to web',
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.1.0.0/16', 'sg:clients'],
      targets: ['vmid:103', 'vmid:104'],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }],
  });
  await lab.apply(policy);
  await lab.observe();
}, 60_000);
afterAll(() => lab.close());

type Answer = { status: number; body: Reach & { errors?: { field: string }[] } };
const ask = async (input: object): Promise<Answer> =>
  (await lab.json('/reach', { body: { protocol: 'tcp', ports: ['443'], ...input } })) as unknown as Answer;

describe('POST /reach', () => {
  it('says yes with the rule behind it, the switches, and what matched as a tree', async () => {
    const { status, body } = await ask({ from: ['vmid:105'], to: ['vmid:103', 'vmid:104'] });
    expect([status, body.answer, body.reason, body.blocked_by]).toEqual([200, 'yes', null, null]);
    const [part] = body.parts;
    expect(part).toMatchObject({ verdict: 'allowed', ports: ['443'], pairs: 2 });
    expect(part?.to.items.map(({ workload_id }) => workload_id).sort()).toEqual(
      [await lab.id(103), await lab.id(104)].sort(),
    );
    const [source, destination] = part?.stages ?? [];
    expect(source).toMatchObject({ at: 'source', verdict: 'allowed', decided_by: { kind: 'not_enforced' } });
    expect(destination).toMatchObject({
      at: 'destination',
      workload_id: await lab.id(103),
      verdict: 'allowed',
      decided_by: { kind: 'rule', policy_name: 'clients to web' },
      switches: { cluster_firewall: true, guest_firewall: true, interface: true },
      read_at: expect.any(String),
    });
    expect(destination?.trace.map(({ depth, kind, text }) => [depth, kind, text])).toEqual([
      [0, 'policy', 'clients to web'],
      [1, 'rule', expect.stringMatching(/^in ACCEPT tcp 443 from /)],
      [2, 'source', 'sg:clients'],
      [3, 'group', 'clients'],
      [4, 'member', expect.any(String)],
      [5, 'address', '10.2.0.2'],
      [2, 'target', 'vmid:103'],
      [3, 'member', expect.any(String)],
      [4, 'address', '10.1.0.3'],
    ]);
  });

  it('says no with the first thing in the way, and drafts what would let the packet pass', async () => {
    const { body } = await ask({ from: ['vmid:105'], to: ['vmid:103'], ports: ['22'] });
    expect(body).toMatchObject({
      answer: 'no',
      blocked_by: {
        stage: { at: 'destination', verdict: 'denied', decided_by: { kind: 'default', detail: 'DROP' } },
        packet: { source: '10.2.0.2', destination: '10.1.0.3', destination_port: 22, protocol: 6 },
        draft: { protocol: 'tcp', port: 22 },
      },
    });
    const { draft } = body.blocked_by ?? {};
    const drafted = await lab.json('/policy-drafts', { body: draft });
    expect(drafted).toMatchObject({ status: 200, body: { rules: [{ destination_ports: ['22'] }] } });
  });

  it('says some with the ports and sources that pass and those that do not', async () => {
    const { body } = await ask({ from: ['vmid:105', '10.9.0.7'], to: ['vmid:103'], ports: ['443', '22'] });
    expect(body.answer).toBe('some');
    const parts = body.parts.map(({ verdict, from, ports }) => [verdict, from.kind, ports]);
    expect(parts).toContainEqual(['allowed', 'places', ['443']]);
    expect(parts).toContainEqual(['denied', 'places', ['22']]);
    expect(parts).toContainEqual(['denied', 'outside', ['22', '443']]);
  });

  it('asks about everything outside', async () => {
    const { body } = await ask({ from: 'outside', to: ['vmid:103'] });
    expect(body.answer).toBe('some');
    const allowed = body.parts.find(({ verdict }) => verdict === 'allowed');
    expect(allowed?.from.outside?.networks.join()).toMatch(/^10\.1\.0\.0/);
    const out = await ask({ from: ['vmid:103'], to: 'outside' });
    expect(out.body).toMatchObject({ answer: 'yes', parts: [{ stages: [{ at: 'source' }] }] });
  });

  it('returns unknown with the reason for what resolves to nothing or was not read', async () => {
    const empty = await ask({ from: ['sg:nothing'], to: ['vmid:103'] });
    expect(empty.body).toMatchObject({
      answer: 'unknown',
      reason: { code: 'nothing_resolved', subject: 'sg:nothing' },
      parts: [],
    });
  });

  it('answers by the rules that a change would leave, and by the live ones without it', async () => {
    const made = await lab.json('/changes', {
      body: {
        title: 'allow SSH',
        items: [
          {
            kind: 'policy',
            policy: {
              name: 'ssh',
              definition: {
                enforcement_mode: 'enforced',
                sources: ['vmid:105'],
                targets: ['vmid:103'],
                default_action: 'none',
              },
              rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }],
            },
          },
        ],
      },
    });
    expect(made).toMatchObject({ status: 201 });
    const { id } = made.body as { id: string };
    const question = { from: ['vmid:105'], to: ['vmid:103'], ports: ['22'] };
    expect((await ask({ ...question, change_id: id })).body).toMatchObject({ answer: 'yes', change_id: id });
    expect((await ask(question)).body).toMatchObject({ answer: 'no', change_id: null });
    expect((await ask({ ...question, change_id: groupId })).status).toBe(404);
  });

  it.each([
    [{ protocol: 'icmp' }, 'ports'],
    [{ from: [] }, 'from'],
    [{ to: 'inside' }, 'to'],
    [{ protocol: 'ipx' }, 'protocol'],
  ])('refuses %o', async (input, field) => {
    const { status, body } = await ask({ from: ['vmid:105'], to: ['vmid:103'], ...input });
    expect([status, body.errors?.[0]?.field.split('.')[0]]).toEqual([400, field]);
  });
});
