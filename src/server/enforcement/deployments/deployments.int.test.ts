import { describe, expect, it } from 'vitest';
import type { ApplyResult, Deployment } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import {
  apply,
  at,
  create,
  DEFINITION,
  FIVE,
  get,
  lab,
  lines,
  policyRuleLines,
  post,
  prepareDeploymentLab,
  RULES,
  readGuestResults,
  run,
  switches,
  unmanagedRuleLines,
  waiting,
} from './testing/deployment-lab.fixture';

prepareDeploymentLab();

describe('applying a policy', () => {
  it('puts exactly its rules at its guests, switches filters on, and leaves everything else as it is', async () => {
    const before = new Map(FIVE.map((vmid) => [vmid, unmanagedRuleLines(vmid)]));
    const policy = await create();
    const deployment = await apply(policy);
    expect(deployment).toMatchObject({ status: 'ok', progress_done: 5, progress_total: 5, guests: { ok: 5 } });
    for (const vmid of FIVE) {
      const own = policyRuleLines(vmid, policy);
      expect(own.map((line) => line.replace(/ # .*/, ''))).toEqual([
        'IN ACCEPT -source 10.20.22.0/24 -p tcp -dport 22',
        'IN DROP -source 10.20.22.0/24 -p tcp -dport 23',
      ]);
      expect(own.every((line) => line.includes(` v=1 `) && line.includes(` g=${vmid}]`))).toBe(true);
      expect(lines(vmid).slice(0, 2)).toEqual(own);
      expect(unmanagedRuleLines(vmid)).toEqual(before.get(vmid));
      expect(lab.control.enforcement.view(vmid).nics.every(({ live_flag }) => live_flag)).toBe(true);
    }
    // The mail server was not filtered before: traffic that no policy covers still passes.
    expect(lab.control.firewall.guestFile(105)).toMatch(/policy_in: ACCEPT/);
    expect(lab.control.firewall.guestFile(102)).not.toMatch(/policy_in/);
    expect((await lab.fresh(policy.id)).deployment_status).toBe('active');
    const again = await apply(policy);
    expect(again).toMatchObject({ status: 'ok', writes: 0, guests: { unchanged: 5 } });
    const records = await lab.sql`select action from audit_records where object_id = ${policy.id} order by seq`;
    expect(records.map(({ action }) => action)).toEqual([
      'policy.created',
      'policy.apply_requested',
      'policy.applied',
      'policy.apply_requested',
      'policy.applied',
    ]);
    const [guest] = await readGuestResults(deployment.id);
    const detail = await get(`/deployments/${deployment.id}/guests/${guest?.workload_id}`);
    expect(detail).toMatchObject({
      status: 'ok',
      changes: { added: 2, removed: 0, moved: 0, kept: 0 },
      plan: { total: expect.any(Number) },
      state_before: { rules: expect.any(Array) },
    });
  });

  it('answers a dry run without a call to the cluster, success apart from applied', async () => {
    const policy = await create();
    const calls = lab.simulator.log.total;
    const { status, body } = await post<ApplyResult>(`/policies/${policy.id}/apply`, { dry_run: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      applied: false,
      dry_run: true,
      policy_mode: 'enforced',
      finished: true,
    });
    expect(body.clusters[0]?.guests).toHaveLength(5);
    expect(body.clusters[0]?.guests[0]).toMatchObject({ vmid: 100, status: 'planned', rules: 2, writes: 0 });
    expect(lab.simulator.log.total).toBe(calls);
    expect(await waiting(policy)).toEqual([]);
  });

  it('refuses audit mode and disabled policies with the mode in the answer', async () => {
    for (const [changes, mode] of [
      [{ definition: { ...DEFINITION, enforcement_mode: 'audit' } }, 'audit'],
      [{ enabled: false }, 'enforced'],
    ] as const) {
      const policy = await create(changes);
      for (const dry_run of [false, true]) {
        const refused = await post(`/policies/${policy.id}/apply`, { dry_run });
        expect(refused).toMatchObject({
          status: 422,
          body: { code: 'refused', policy_mode: mode, success: false, applied: false, dry_run },
        });
      }
      expect(await waiting(policy)).toEqual([]);
    }
  });

  it('refuses to apply with a read-only token before anything is started, and still previews', async () => {
    const policy = await create();
    await lab.sql`update clusters set missing_write_privileges = '{VM.Config.Network,SDN.Use}'`;
    try {
      const calls = lab.simulator.log.total;
      const refused = await post<{ detail: string }>(`/policies/${policy.id}/apply`);
      expect(refused).toMatchObject({ status: 422, body: { code: 'refused', success: false, applied: false } });
      expect(refused.body.detail).toMatch(/read-only.*VM\.Config\.Network, SDN\.Use.*sync the cluster/);
      expect(lab.simulator.log.total).toBe(calls);
      expect(await waiting(policy)).toEqual([]);
      expect((await post(`/policies/${policy.id}/apply`, { dry_run: true })).status).toBe(200);
      const preview = await post<PolicyPreview>(`/policies/${policy.id}/preview`, {});
      expect(preview).toMatchObject({
        status: 200,
        body: { clusters: [{ missing_write_privileges: ['VM.Config.Network', 'SDN.Use'] }], totals: { guests: 5 } },
      });
    } finally {
      // Unknown is not read-only.
      await lab.sql`update clusters set missing_write_privileges = null`;
    }
    expect(await apply(policy)).toMatchObject({ status: 'ok' });
  });

  it('names rules that map to no workload, and writes nothing when there is none at all', async () => {
    const nowhere = await create({ definition: { ...DEFINITION, targets: ['sg:nobody', 'tag:none'] } });
    const refused = await post<{ detail: string }>(`/policies/${nowhere.id}/apply`);
    expect(refused).toMatchObject({ status: 422, body: { policy_mode: 'enforced', success: false, applied: false } });
    expect(refused.body.detail).toMatch(/could not be placed on any workload.*sg:nobody does not exist/);
    expect(await post(`/policies/${nowhere.id}/apply`, { dry_run: true })).toMatchObject({
      status: 200,
      body: { success: false, applied: false, dry_run: true, policy_mode: 'enforced' },
    });
    const partly = await create({ rules: [...RULES, { action: 'accept', protocol: 'icmpv6' }] });
    const deployment = await apply(partly);
    expect(deployment).toMatchObject({ status: 'partial', problems: [{ code: 'rule_without_workload' }] });
    expect(deployment.problems[0]?.message).toMatch(/Rule 3 \(accept icmpv6\)/);
    expect(policyRuleLines(100, partly)).toHaveLength(2);
  });

  it('refuses what the firewall file of a workload has no room for, with the rule, before it writes', async () => {
    const full = Array.from({ length: 500 }, () => `IN ACCEPT -p tcp -dport 22 # ${'x'.repeat(2_040)}`);
    lab.control.firewall.setFile('firewall/105.fw', `[RULES]\n\n${full.join('\n')}\n`);
    const before = lab.control.firewall.guestFile(105);
    const policy = await create({ definition: { ...DEFINITION, targets: [at(105)] } });
    const preview = await post<{ detail: string }>(`/policies/${policy.id}/preview`, {});
    expect(preview.status).toBe(422);
    expect(preview.body.detail).toMatch(/^Rule 1 becomes 1 live rules?, .*\(105\).*1 MiB.*Use port ranges/);
    const { id } = await apply(policy);
    expect(await readGuestResults(id)).toMatchObject([
      { status: 'failed', writes: 0, problems: [{ code: 'firewall_file_too_large' }] },
    ]);
    expect(lab.control.firewall.guestFile(105)).toBe(before);
    const ports = Array.from({ length: 100 }, (_, port) => `${port * 10 + 1}-${port * 10 + 5}`);
    const long = { action: 'accept', protocol: 'tcp/udp', source_ports: ports, destination_ports: ports };
    const save = (version: number, total: number) =>
      lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version, rules: Array(total).fill(long) } });
    expect(await save(1, 12)).toMatchObject({ status: 422, body: { errors: [{ field: 'rules.0' }] } });
    expect((await save(1, 8)).status).toBe(200);
    const add = (version: number) =>
      lab.json(`/policies/${policy.id}/rules`, { method: 'POST', body: { version, rule: long } });
    const added = [await add(2), await add(3), await add(4), await add(5)];
    expect(added.find(({ status }) => status === 422)?.body).toMatchObject({ errors: [{ field: 'rules.0' }] });
  });

  it('replaces an older version, and takes its rules from a guest that is no target any more', async () => {
    const policy = await create();
    await apply(policy);
    const { body } = await lab.json(`/policies/${policy.id}`, {
      method: 'PATCH',
      body: {
        version: 1,
        definition: { ...DEFINITION, targets: [at(100), at(101)] },
        rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }],
      },
    });
    const changed = body as Policy;
    expect(await apply(changed)).toMatchObject({ status: 'ok', policy_version: changed.version, guests: { ok: 5 } });
    for (const vmid of [100, 101]) {
      expect(policyRuleLines(vmid, policy)).toEqual([expect.stringMatching(/-dport 443 # .* v=2 /)]);
    }
    for (const vmid of [102, 105, 200]) expect(policyRuleLines(vmid, policy)).toEqual([]);
    expect((await lab.sql`select 1 from policy_placements where policy_id = ${policy.id}`).length).toBe(2);
  });

  it('requires the permission to apply, within the tenant', async () => {
    const policy = await create();
    const deployment = await apply(policy);
    const viewer = await bearer(await makeUser('viewer'));
    const stranger = await bearer(await makeUser('security_engineer', await makeTenant()));
    const ask = (path: string, headers: Record<string, string>, method = 'POST') => call(path, { method, headers });
    expect((await ask(`/policies/${policy.id}/apply`, viewer)).status).toBe(403);
    expect((await ask(`/deployments/${deployment.id}`, viewer, 'GET')).status).toBe(200);
    for (const path of [
      `/policies/${policy.id}/apply`,
      `/policies/${policy.id}/reconcile`,
      `/deployments/${deployment.id}/retry`,
    ]) {
      expect((await ask(path, stranger)).status).toBe(404);
    }
    for (const path of [`/deployments/${deployment.id}`, `/deployments/${deployment.id}/guests`]) {
      expect((await ask(path, stranger, 'GET')).status).toBe(404);
    }
    expect(await (await ask('/deployments', stranger, 'GET')).json()).toMatchObject({ items: [], total: 0 });
    expect(await (await ask('/policies/apply-pending', stranger)).json()).toEqual({ change: null, operations: [] });
  });
});

describe('a default of dropping', () => {
  it('comes with the policy and goes with it: what passed before passes again', async () => {
    const targets = [at(100), at(105), at(110)];
    const before = new Map([105, 110].map((vmid) => [vmid, switches(vmid)]));
    const policy = await create({ definition: { ...DEFINITION, targets, default_action: 'drop' } });
    const other = await create({ definition: { ...DEFINITION, targets: [at(105)], default_action: 'drop' } });
    await apply(policy);
    await apply(other);
    const policyIn = (vmid: number) => /policy_in: (\w+)/.exec(lab.control.firewall.guestFile(vmid) ?? '')?.[1];
    // Absent means dropping as soon as the filter is on.
    for (const vmid of [105, 110]) expect(['DROP', undefined]).toContain(policyIn(vmid));
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    for (const id of await waiting(policy)) await run(id);
    expect(policyIn(100)).toBe('DROP');
    // It was off: it is off again, with what was stored.
    expect(switches(110)).toEqual(before.get(110));
    // The other policy still asks for it.
    expect(policyIn(105)).not.toBe('ACCEPT');
    await lab.json(`/policies/${other.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    for (const id of await waiting(other)) await run(id);
    expect(switches(105)).toEqual(before.get(105));
  });
});

describe('cleaning up', () => {
  it('restores switches, defaults and flags of every guest, and says which', async () => {
    // Stored for later by a person: with the firewall off neither decides.
    lab.control.firewall.setFile(
      'firewall/110.fw',
      '[OPTIONS]\nenable: 0\npolicy_in: DROP\npolicy_out: DROP\n\n[RULES]\nIN REJECT -p tcp -dport 8081 -log nolog # by hand\n',
    );
    const all = [...FIVE, 110];
    const before = new Map(all.map((vmid) => [vmid, { ...switches(vmid), rules: lines(vmid) }]));
    const policy = await create({ definition: { ...DEFINITION, targets: all.map(at) } });
    expect(await apply(policy)).toMatchObject({ status: 'ok' });
    expect(switches(110)).toMatchObject({ options: ['enable: 1', 'policy_in: ACCEPT', 'policy_out: ACCEPT'] });
    await lab.json(`/policies/${policy.id}`, { method: 'DELETE' });
    const [id = ''] = await waiting(policy);
    await run(id);
    expect(await get(`/deployments/${id}`)).toMatchObject({ status: 'ok', guests: { ok: 6 } });
    for (const vmid of all) expect({ ...switches(vmid), rules: lines(vmid) }, `${vmid}`).toEqual(before.get(vmid));
    const restored = (await readGuestResults(id)).find(({ vmid }) => vmid === 110);
    expect(restored).toMatchObject({
      notes: [],
      changes: { removed: 2 },
      switches: expect.arrayContaining([
        { kind: 'guest_option', name: 'enable', before: '1', after: '0' },
        { kind: 'guest_option', name: 'policy_in', before: 'ACCEPT', after: 'DROP' },
      ]),
    });
  });

  it('restores when the guest is no target any more', async () => {
    const before = switches(105);
    const policy = await create();
    await apply(policy);
    expect(switches(105)).not.toEqual(before);
    const { body } = await lab.json(`/policies/${policy.id}`, {
      method: 'PATCH',
      body: { version: 1, definition: { ...DEFINITION, targets: [at(100)] } },
    });
    await apply(body as Policy);
    expect(switches(105)).toEqual(before);
  });

  it('leaves the firewall on where it was edited since, and gives the reason in result and audit trail', async () => {
    const policy = await create();
    await apply(policy);
    const on = switches(105);
    lab.control.firewall.insertRule(105, 'IN DROP -p tcp -dport 25 -log nolog # added later', 0);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    const [id = ''] = await waiting(policy);
    await run(id);
    expect(await get(`/deployments/${id}`)).toMatchObject({
      status: 'ok',
      notes: [{ code: 'edited_since', message: expect.stringMatching(/\(105\).*stays on.*rules/), guests: 1 }],
    });
    expect((await readGuestResults(id)).map(({ vmid, notes }) => [vmid, notes.map(({ code }) => code)])).toContainEqual(
      [105, ['edited_since']],
    );
    expect(switches(105)).toEqual(on);
    expect(lines(105)).toEqual([expect.stringContaining('added later')]);
    const [audit] = await lab.sql`
      select after from audit_records where object_id = ${policy.id} and action = 'policy.cleaned_up'`;
    expect(audit?.after).toMatchObject({ notes: [{ code: 'edited_since' }] });
  });

  it('claims no removals where it failed', async () => {
    const policy = await create();
    await apply(policy);
    await lab.json(`/policies/${policy.id}`, { method: 'DELETE' });
    const [id = ''] = await waiting(policy);
    lab.control.setQuorum(false);
    await run(id);
    for (const { changes } of await readGuestResults(id)) expect(changes?.removed ?? 0).toBe(0);
    // The deployment itself says what is wrong with its guests.
    expect((await get<Deployment>(`/deployments/${id}`)).problems).toContainEqual(
      expect.objectContaining({ code: 'no_quorum', guests: 4, message: expect.stringMatching(/\(100\) and 3 more: /) }),
    );
  });

  it('restores an interface that was locked when it is done again', async () => {
    const before = switches(110);
    const policy = await create({ definition: { ...DEFINITION, targets: [at(110)] } });
    await apply(policy);
    lab.control.lockGuest(110, 'backup');
    await lab.json(`/policies/${policy.id}`, { method: 'DELETE' });
    const [id = ''] = await waiting(policy);
    await run(id);
    expect((await readGuestResults(id)).find(({ vmid }) => vmid === 110)).toMatchObject({ status: 'partial' });
    lab.control.lockGuest(110, undefined);
    const { body } = await post<Deployment>(`/deployments/${id}/retry`);
    await run(body.id);
    expect(await get(`/deployments/${body.id}`)).toMatchObject({ status: 'ok', guests: { ok: 1 } });
    expect(switches(110)).toEqual(before);
  });

  it.each([
    ['disabling', () => ({ enabled: false })],
    ['audit mode', () => ({ definition: { ...DEFINITION, enforcement_mode: 'audit' } })],
  ])('follows %s, at every guest that carries its rules', async (_, change) => {
    const policy = await create();
    await apply(policy);
    const before = new Map(FIVE.map((vmid) => [vmid, unmanagedRuleLines(vmid)]));
    lab.control.cloneGuest(100, 150, 'copy');
    await lab.settle();
    await lab.sync();
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, ...change() } });
    const [id = ''] = await waiting(policy);
    await run(id);
    expect(await get(`/deployments/${id}`)).toMatchObject({ kind: 'cleanup', status: 'ok', guests: { ok: 6 } });
    for (const vmid of [...FIVE, 150]) expect(policyRuleLines(vmid, policy)).toEqual([]);
    for (const vmid of FIVE) expect(unmanagedRuleLines(vmid)).toEqual(before.get(vmid));
    expect(await lab.sql`select 1 from policy_placements where policy_id = ${policy.id}`).toHaveLength(0);
  });

  it('follows deleting, tells per cluster what failed, and is done again by a retry', async () => {
    const policy = await create();
    await apply(policy);
    expect((await lab.json(`/policies/${policy.id}`, { method: 'DELETE' })).status).toBeLessThan(300);
    const [id = ''] = await waiting(policy);
    lab.control.setQuorum(false);
    await run(id);
    const failed = await get<Deployment>(`/deployments/${id}`);
    expect(failed).toMatchObject({ status: 'failed', trigger: 'deleted', cluster_name: lab.cluster.name });
    expect((await readGuestResults(id))[0]?.problems[0]).toMatchObject({
      code: 'no_quorum',
      remedy: expect.any(String),
    });
    lab.control.setQuorum(true);
    const { status, body } = await post<Deployment>(`/deployments/${id}/retry`);
    expect(status).toBe(202);
    await run(body.id);
    expect(await get(`/deployments/${body.id}`)).toMatchObject({ status: 'ok', retry_of: id });
    for (const vmid of FIVE) expect(policyRuleLines(vmid, policy)).toEqual([]);
  });

  it('leaves the rules when the policy is enforced again before it begins', async () => {
    const policy = await create();
    await apply(policy);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    const [id = ''] = await waiting(policy);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 2, enabled: true } });
    await run(id);
    expect((await readGuestResults(id)).map(({ problems }) => problems[0]?.code)).toEqual(
      Array(5).fill('policy_enforced_again'),
    );
    for (const vmid of FIVE) expect(policyRuleLines(vmid, policy)).toHaveLength(2);
  });
});
