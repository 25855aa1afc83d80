import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplyResult } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import { makePolicyLab, type PolicyLab } from '../testing/policy-lab.fixture';

let lab: PolicyLab;
beforeAll(async () => {
  // Sign-ins last a quarter of an hour of the lab's own time.
  lab = await makePolicyLab({ timeScale: 10 });
}, 60_000);
afterAll(() => lab.close());

const preview = async (policy: Policy, body: object = {}): Promise<PolicyPreview> => {
  const answer = await lab.json(`/policies/${policy.id}/preview`, { body });
  expect(answer.status).toBe(200);
  return answer.body;
};
const rule = (port: string, changes: object = {}) => ({
  action: 'accept',
  protocol: 'tcp',
  destination_ports: [port],
  ...changes,
});
const codes = ({ warnings }: PolicyPreview) => warnings.map(({ code }) => code);
const ports = (rules: readonly { destination_port: string | null }[] = []) =>
  rules.map(({ destination_port }) => destination_port);

describe('the preview of a policy', () => {
  it('tells per guest what would be added, and which switches would be turned, without writing', async () => {
    const policy = await lab.create({
      definition: { enforcement_mode: 'enforced', sources: ['10.9.0.0/16'], targets: ['vmid:105', 'vmid:102'] },
      rules: [rule('22', { log: 'info' }), rule('53', { protocol: 'tcp/udp' })],
    });
    const before = lab.simulator.log.entries().length;
    const result = await preview(policy);
    expect(result).toMatchObject({ policy_id: policy.id, policy_mode: 'enforced', policy_version: 1, unresolved: [] });
    const [db, other] = result.clusters[0]?.guests ?? [];
    expect(db).toMatchObject({ vmid: 102, foreign_rules: 3, unreadable: [] });
    expect(db?.rules.map(({ protocol, destination_port }) => [protocol, destination_port])).toEqual([
      ['tcp', '22'],
      ['tcp', '53'],
      ['udp', '53'],
    ]);
    expect(db?.changes).toMatchObject({ removed: [], kept: [], moved: [], added: { length: 3 } });
    // Its second interface has no flag yet.
    expect(db?.option_changes).toEqual([{ kind: 'nic_flag', name: 'net1', before: '0', after: '1' }]);
    expect(other).toMatchObject({ vmid: 105, foreign_rules: 0 });
    expect(other?.option_changes).toContainEqual({ kind: 'guest_option', name: 'enable', before: null, after: '1' });
    expect(other?.option_changes).toContainEqual({
      kind: 'guest_option',
      name: 'policy_in',
      before: null,
      after: 'ACCEPT',
    });
    expect(codes(result)).toEqual(expect.arrayContaining(['firewall_switched_on', 'mac_filter', 'log_limits']));
    // The second interface of the database was not filtered until now; the other guest stays open.
    expect(result.warnings.find(({ code }) => code === 'default_policy_changes')?.guests).toMatchObject([
      { vmid: 102 },
    ]);
    expect(codes(result)).not.toContain('cluster_firewall_off');
    const calls = lab.simulator.log.entries().slice(before);
    const methods = calls.map(({ method }) => method);
    expect(new Set(methods)).toEqual(new Set(['GET']));
    // Each guest once.
    const reads = calls.filter(({ path }) => path.endsWith('/102/firewall/rules'));
    expect(reads).toHaveLength(1);
  });

  it('agrees with what applying then does, and finds nothing to do afterwards', async () => {
    const policy = await lab.create({
      definition: {
        enforcement_mode: 'enforced',
        sources: ['10.9.0.0/16'],
        targets: ['vmid:103'],
        default_action: 'drop',
      },
      rules: [rule('22'), rule('443')],
    });
    const before = await preview(policy);
    expect(before.totals).toMatchObject({ guests: 1, added: 2, removed: 0, kept: 0 });
    expect(codes(before)).toEqual(expect.arrayContaining(['default_policy_changes', 'established_connections']));
    await lab.apply(policy);
    const after = await preview(policy);
    expect(after.totals).toEqual({
      guests: 1,
      added: 0,
      removed: 0,
      kept: 2,
      moved: 0,
      option_changes: 0,
      dormant: 0,
      unreadable: 0,
    });
    const changed = await preview(policy, { rules: [rule('443'), rule('80')] });
    expect(changed.policy_version).toBe(2);
    const [guest] = changed.clusters[0]?.guests ?? [];
    expect(ports(guest?.changes?.added)).toEqual(['443', '80']);
    expect(guest?.changes?.removed).toMatchObject([{ reason: 'outdated_version' }, { reason: 'outdated_version' }]);
    expect(codes(changed)).toContain('established_connections');
    const moved = await preview(policy, { definition: { ...policy.definition, targets: ['vmid:104'] } });
    const guests = moved.clusters[0]?.guests ?? [];
    expect(guests.map(({ vmid, rules, changes }) => [vmid, rules.length, changes?.removed.length])).toEqual([
      [103, 0, 2],
      [104, 2, 0],
    ]);
  });

  it('leaves rules of other policies and of others as they stand', async () => {
    const target = { enforcement_mode: 'enforced', sources: ['10.7.0.0/16'], targets: ['vmid:104'] };
    const first = await lab.create({ priority: 1, definition: target, rules: [rule('22')] });
    await lab.apply(first);
    await lab.json(`/policies/${first.id}`, { method: 'PATCH', body: { rules: [rule('2222')] } });
    const second = await lab.create({ priority: 2, definition: target, rules: [rule('80')] });
    const [guest] = (await preview(second)).clusters[0]?.guests ?? [];
    // The first one's change is not applied by applying the second one.
    expect(guest?.changes).toMatchObject({ removed: [], kept: [], moved: [] });
    expect(ports(guest?.changes?.added)).toEqual(['80']);
  });

  it('names what is stored without effect and takes effect with the switches, and what it cuts', async () => {
    const definition = { enforcement_mode: 'enforced', sources: ['any'], targets: ['vmid:110'] };
    const policy = await lab.create({ definition, rules: [rule('80')] });
    const file = lab.control.firewall.guestFile(110);
    const switchedOn = ({ warnings }: PolicyPreview) => warnings.filter(({ code }) => code === 'firewall_switched_on');
    const clean = await preview(policy);
    expect(switchedOn(clean)).toMatchObject([{ message: expect.stringContaining('still passes') }]);
    expect(codes(clean)).not.toContain('dormant_content');
    lab.control.firewall.setFile(
      'firewall/110.fw',
      `[OPTIONS]\n\nradv: 1\n\n[IPSET ipfilter-net0]\n\n10.99.0.0/24\n\n[RULES]\n\n|IN DROP -p tcp -dport 1\nIN DROP -p tcp -dport 8081 -log nolog # old block\n\n`,
    );
    const dormant = await preview(policy);
    const [guest] = dormant.clusters[0]?.guests ?? [];
    expect(guest?.foreign_rules).toBe(2);
    expect(guest?.dormant).toMatchObject([
      {
        kind: 'rule',
        position: 1,
        rule: { destination_port: '8081', comment: 'old block' },
        effect: 'cuts',
        severity: 'warning',
      },
      { kind: 'set', name: 'ipfilter-net0', interfaces: ['net0'], value: '10.99.0.0/24', effect: 'cuts' },
      { kind: 'option', name: 'radv', value: '1', stored: true, effect: 'allows' },
      { kind: 'option', name: 'macfilter', value: '1', stored: false, severity: 'info' },
    ]);
    // What is on by default is not stored.
    expect(dormant.totals.dormant).toBe(3);
    expect(codes(dormant)).toContain('dormant_content');
    const found = guest?.warnings.filter(({ code }) => code === 'dormant_content').map(({ message }) => message);
    expect(found?.[0]).toBe(
      'The rule at position 1 (inbound DROP tcp port 8081, "old block") takes effect on net0. The rule blocks traffic that passes now.',
    );
    expect(found?.[1]).toMatch(
      /^IP set ipfilter-net0 takes effect on net0: traffic from an address outside the set is blocked/,
    );
    // What stored content would change is not promised.
    expect(JSON.stringify(dormant)).not.toContain('still passes');
    // A dry run asks no cluster: it goes by what was read last.
    const dry = (await lab.json(`/policies/${policy.id}/apply`, { body: { dry_run: true } })).body as ApplyResult;
    expect(dry.clusters[0]?.guests[0]?.dormant).toEqual(guest?.dormant);
    expect(clean.clusters[0]?.guests[0]?.fingerprint).not.toBe(guest?.fingerprint);
    lab.control.firewall.setFile('firewall/110.fw', file);
  });

  it('names endpoints that resolve to nothing and warns about obstacles', async () => {
    const policy = await lab.create({
      enabled: false,
      definition: { sources: ['sg:nobody', '10.0.0.0/8'], targets: ['no-such-guest'] },
      rules: [rule('22')],
    });
    const result = await preview(policy);
    expect(result).toMatchObject({
      policy_mode: 'audit',
      clusters: [],
      unresolved: [
        { side: 'source', endpoint: 'sg:nobody', reason: 'not_found' },
        { side: 'target', endpoint: 'no-such-guest', reason: 'not_found' },
      ],
    });
    expect(codes(result)).toEqual(expect.arrayContaining(['audit_mode', 'policy_disabled', 'no_rules']));
  });

  it('says what it does not know when a guest cannot be read', async () => {
    const policy = await lab.create({
      definition: { enforcement_mode: 'enforced', sources: ['any'], targets: ['vmid:105'] },
      rules: [rule('22')],
    });
    const fault = lab.simulator.onRequest({ path: /\/105\/firewall\/rules$/ }, { kind: 'respond', status: 500 });
    const result = await preview(policy);
    fault.remove();
    expect(result.clusters[0]?.guests).toMatchObject([
      { vmid: 105, rules: { length: 1 }, changes: null, unreadable: [{ part: 'rules', code: 'server_error' }] },
    ]);
    expect(result.totals.unreadable).toBe(1);
    expect(codes(result)).toContain('guest_unreadable');
  });

  it('warns when the cluster filters nothing', async () => {
    const file = lab.control.firewall.file('firewall/cluster.fw');
    lab.control.firewall.setFile('firewall/cluster.fw', file?.replace('enable: 1', 'enable: 0'));
    const policy = await lab.create({
      definition: { enforcement_mode: 'enforced', sources: ['any'], targets: ['vmid:105'] },
      rules: [rule('22')],
    });
    expect(codes(await preview(policy))).toContain('cluster_firewall_off');
    lab.control.firewall.setFile('firewall/cluster.fw', file);
  });

  it('can be had of a policy that is not stored', async () => {
    const draft = { definition: { sources: ['any'], targets: ['vmid:100'] }, rules: [rule('22')] };
    const { status, body } = await lab.json('/policy-drafts/preview', { body: draft });
    expect(status).toBe(200);
    expect(body).toMatchObject({ policy_id: null, policy_version: 1, totals: { guests: 1, added: 1 } });
    expect((body as PolicyPreview).clusters[0]?.guests[0]?.fingerprint).toBeNull();
  });
});

describe('the firewall of a guest', () => {
  it('lists all rules in order, managed ones with their policy, options with defaults, and interfaces', async () => {
    const policy = await lab.create({
      definition: { enforcement_mode: 'enforced', sources: ['10.9.0.0/16'], targets: ['vmid:100'] },
      rules: [rule('8443')],
    });
    await lab.apply(policy);
    const { status, body } = await lab.json(`/workloads/${await lab.id(100)}/firewall`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      presence: 'present',
      cluster_firewall_enabled: true,
      options: { enable: true, policy_in: 'DROP', policy_out: 'ACCEPT', dhcp: true, macfilter: true },
      stored_options: ['enable', 'policy_in'],
      interfaces: [{ name: 'net0', status: 'on', firewall: true, pending: false }],
      rules: [
        { position: 0, owner: 'this_installation', policy_name: policy.name, destination_port: '8443', enabled: true },
        { position: 1, type: 'group', action: 'web', owner: 'nobody', policy_name: null },
        { position: 2, type: 'group', action: 'ssh-admin', interface: 'net0' },
        { position: 3, enabled: false, destination_port: '8080' },
      ],
      groups: [{ name: 'ssh-admin' }, { name: 'web', rules: [{ destination_port: '80,443' }, { macro: 'Ping' }] }],
      unreadable: [],
    });
  });

  const test = async (vmid: number, packet: object) =>
    (await lab.json(`/workloads/${await lab.id(vmid)}/firewall/test`, { body: packet })).body as never;
  const packet = { direction: 'in', source_ip: '10.9.1.1', destination_ip: '10.20.20.11', protocol: 'tcp' };

  it('decides a packet and says which rule of which policy does', async () => {
    expect(await test(100, { ...packet, destination_port: 8443 })).toMatchObject({
      interfaces: [
        {
          name: 'net0',
          verdict: 'accept',
          decided_by: { kind: 'rule', rule: { position: 0, destination_port: '8443' } },
          policies: [{ policy_version: 1, name: expect.any(String) }],
        },
      ],
    });
    expect(await test(100, { ...packet, destination_port: 443 })).toMatchObject({
      interfaces: [{ verdict: 'accept', decided_by: { kind: 'rule', group: 'web' }, policies: [] }],
    });
    expect(await test(100, { ...packet, destination_port: 5432 })).toMatchObject({
      interfaces: [{ verdict: 'drop', decided_by: { kind: 'default', detail: 'DROP' } }],
    });
    expect(await test(100, { ...packet, destination_port: 5432, state: 'established' })).toMatchObject({
      interfaces: [{ verdict: 'accept', decided_by: { kind: 'builtin', detail: 'established' } }],
    });
    expect(await test(100, packet)).toMatchObject({ interfaces: [{ verdict: 'unknown' }] });
    expect(await test(900, { ...packet, interface: 'net9' })).toMatchObject({ code: 'refused' });
    expect(await test(100, { ...packet, destination_ip: 'fd00::1' })).toMatchObject({ code: 'malformed' });
  });

  it('shows what policies in audit mode would do', async () => {
    const audit = await lab.create({
      definition: { sources: ['10.9.0.0/16'], targets: ['vmid:100'] },
      rules: [{ action: 'reject', protocol: 'tcp', destination_ports: ['443'] }],
    });
    const { audit: found } = (await test(100, { ...packet, destination_port: 443 })) as { audit: unknown };
    expect(found).toEqual([{ policy_id: audit.id, name: audit.name, verdict: 'reject' }]);
  });
});
