import { describe, expect, it } from 'vitest';
import type { ApplyResult, Deployment, DeploymentGuest } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import type { Interference } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import {
  at,
  beforeWrites,
  create,
  DEFINITION,
  FIVE,
  get,
  lab,
  lines,
  policyRuleLines,
  post,
  prepareDeploymentLab,
  readGuestResults,
  run,
} from './testing/deployment-lab.fixture';

prepareDeploymentLab();

const preview = async (policy: Policy) => (await post<PolicyPreview>(`/policies/${policy.id}/preview`)).body;
const listFingerprints = ({ clusters }: PolicyPreview): Record<string, string> =>
  Object.fromEntries(
    clusters.flatMap(({ guests }) =>
      guests.flatMap(({ workload_id, fingerprint }) => (fingerprint ? [[workload_id, fingerprint]] : [])),
    ),
  );

async function request(policy: Policy, fingerprints: Record<string, string>): Promise<string> {
  const { status, body } = await post<ApplyResult>(`/policies/${policy.id}/apply`, { fingerprints });
  expect(status).toBe(202);
  return body.clusters[0]?.deployment_id ?? '';
}

/** Applies what a preview showed, and nothing else. */
async function applyPreview(policy: Policy, shown: PolicyPreview, interfere?: Interference) {
  const id = await request(policy, listFingerprints(shown));
  await run(id, interfere);
  const deployment = await get<Deployment>(`/deployments/${id}`);
  return { deployment, guests: new Map((await readGuestResults(id)).map((guest) => [guest.vmid, guest])) };
}
const one = (vmid: number) => ({ definition: { ...DEFINITION, targets: [at(vmid)] } });
const setFile = (vmid: number, edit: (text: string) => string) =>
  lab.control.firewall.setFile(`firewall/${vmid}.fw`, edit(lab.control.firewall.guestFile(vmid) ?? ''));
const changed = { status: 'skipped', reason: 'changed_since_preview', writes: 0 };

describe('an apply with the fingerprints of a preview', () => {
  it('writes exactly what the preview showed', async () => {
    const policy = await create();
    const shown = await preview(policy);
    const { deployment, guests } = await applyPreview(policy, shown);
    expect(deployment).toMatchObject({ status: 'ok', from_preview: true, guests: { ok: 5 } });
    for (const { vmid, changes, option_changes, dormant } of shown.clusters[0]?.guests ?? []) {
      const guest = guests.get(vmid);
      expect(guest?.changes?.added).toBe(changes?.added.length);
      expect(guest?.dormant).toEqual(dormant);
      if (option_changes.some(({ name }) => name === 'enable')) expect(dormant).not.toEqual([]);
    }
    expect((await preview(policy)).totals).toMatchObject({ added: 0, kept: 10, option_changes: 0, dormant: 0 });
    const again = await applyPreview(policy, await preview(policy));
    expect(again.deployment).toMatchObject({ status: 'ok', writes: 0, guests: { unchanged: 5 } });
  });

  it('skips a workload that was edited since, with the new difference, and writes it after another preview', async () => {
    const policy = await create();
    const shown = await preview(policy);
    lab.control.firewall.insertRule(105, 'IN DROP -p tcp -dport 8081 -log nolog # left by somebody', 0);
    const { deployment, guests } = await applyPreview(policy, shown);
    expect(deployment).toMatchObject({ status: 'partial', guests: { ok: 4, skipped: 1 } });
    const skipped = guests.get(105);
    expect(skipped).toMatchObject({ ...changed, problems: [{ code: 'changed_since_preview' }] });
    expect(skipped?.difference).toMatchObject({ changes: { added: { length: 2 } } });
    expect(skipped?.difference?.dormant).toContainEqual(
      expect.objectContaining({ kind: 'rule', position: 0, effect: 'cuts', severity: 'warning' }),
    );
    expect(policyRuleLines(105, policy)).toEqual([]);
    expect(lab.control.firewall.guestFile(105)).not.toContain('enable: 1');
    const next = await preview(policy);
    expect(next.clusters[0]?.guests.find(({ vmid }) => vmid === 105)?.fingerprint).toBe(
      skipped?.difference?.fingerprint,
    );
    const { deployment: second } = await applyPreview(policy, next);
    expect(second).toMatchObject({ status: 'ok', guests: { ok: 1, unchanged: 4 } });
    expect(policyRuleLines(105, policy)).toHaveLength(2);
  });

  it('writes nothing where the preview promised no writes', async () => {
    const policy = await create(one(105));
    await applyPreview(policy, await preview(policy));
    const shown = await preview(policy);
    expect(shown.totals).toMatchObject({ added: 0, removed: 0, moved: 0, option_changes: 0 });
    // A user reverts everything: now seven writes would be needed, one of them the switch.
    setFile(105, () => '');
    lab.control.setConfig(105, {
      net0: lab.control
        .guest(105)
        .configText.match(/net0: (.*)/)?.[1]
        ?.replace(',firewall=1', ''),
    });
    const { guests } = await applyPreview(policy, shown);
    expect(guests.get(105)).toMatchObject(changed);
    expect(lab.control.firewall.guestFile(105) ?? '').toBe('');
  });

  it.each<[string, () => void]>([
    [
      'a group that a rule refers to',
      () =>
        lab.control.firewall.setFile(
          'firewall/cluster.fw',
          (lab.control.firewall.file('firewall/cluster.fw') ?? '').replace('-dport 80,443', '-dport 80'),
        ),
    ],
    [
      "the switch of the cluster's firewall",
      () =>
        lab.control.firewall.setFile(
          'firewall/cluster.fw',
          (lab.control.firewall.file('firewall/cluster.fw') ?? '').replace('enable: 1', 'enable: 0'),
        ),
    ],
    ['a stored option', () => setFile(100, (text) => text.replace('[OPTIONS]\n', '[OPTIONS]\n\nmacfilter: 0'))],
    ['an address set of the interface', () => setFile(100, (text) => `${text}\n[IPSET ipfilter-net0]\n\n10.1.1.1\n\n`)],
    ['an alias', () => setFile(100, (text) => `${text}\n[ALIASES]\n\nsomewhere 10.9.9.9\n\n`)],
    [
      'a MAC address',
      () =>
        lab.control.setConfig(100, {
          net0: lab.control
            .guest(100)
            .configText.match(/net0: (.*)/)?.[1]
            ?.replace(/virtio=[^,]+/, 'virtio=BC:24:11:AA:AA:AA'),
        }),
    ],
  ])('skips a workload when %s changed', async (_, edit) => {
    const policy = await create(one(100));
    const shown = await preview(policy);
    edit();
    const { guests } = await applyPreview(policy, shown);
    expect(guests.get(100)).toMatchObject(changed);
    expect(policyRuleLines(100, policy)).toEqual([]);
  });

  it('continues after changes that do not affect the workload', async () => {
    const policy = await create(one(105));
    const shown = await preview(policy);
    const file = lab.control.firewall.file('firewall/cluster.fw') ?? '';
    lab.control.firewall.setFile('firewall/cluster.fw', file.replace('-dport 80,443', '-dport 80'));
    lab.control.migrate(105, 'pve1');
    const { guests } = await applyPreview(policy, shown);
    expect(guests.get(105)).toMatchObject({ status: 'ok' });
  });

  it('skips a workload that is not in the preview, or where the policy requires something else by now', async () => {
    const policy = await create(one(100));
    const none = await request(policy, {});
    await run(none);
    expect(await readGuestResults(none)).toMatchObject([
      { ...changed, problems: [{ message: expect.stringContaining('not part') }] },
    ]);
    const shown = await preview(policy);
    const path = `/policies/${policy.id}`;
    await lab.json(path, { method: 'PATCH', body: { definition: { ...DEFINITION, targets: [at(100), at(101)] } } });
    const { guests } = await applyPreview(policy, shown);
    expect([...guests.values()]).toMatchObject([changed, changed]);
    for (const vmid of [100, 101]) expect(policyRuleLines(vmid, policy)).toEqual([]);
  });

  it('stops before the switch when someone stores a change while rules are written', async () => {
    const policy = await create(one(105));
    const { deployment, guests } = await applyPreview(
      policy,
      await preview(policy),
      beforeWrites((write) => {
        if (write === 2) setFile(105, (text) => `${text}\n[IPSET ipfilter-net0]\n\n10.1.1.1\n\n`);
      }),
    );
    expect(deployment.status).toBe('failed');
    expect(guests.get(105)).toMatchObject({ status: 'failed', problems: [{ code: 'changed_since_preview' }] });
    expect(lab.control.firewall.guestFile(105)).not.toContain('enable: 1');
    // What is written later was shown later.
    const { guests: second } = await applyPreview(policy, await preview(policy));
    expect(second.get(105)).toMatchObject({ status: 'ok' });
  });

  it('creates its own deployment; retry, reconcile and apply pending need no preview', async () => {
    const policy = await create(one(105));
    const shown = await preview(policy);
    const { body } = await post<ApplyResult>(`/policies/${policy.id}/apply`);
    const unchecked = body.clusters[0]?.deployment_id ?? '';
    const checked = await request(policy, listFingerprints(shown));
    const other = await request(policy, {});
    expect(new Set([unchecked, checked, other]).size).toBe(3);
    expect(await get(`/deployments/${unchecked}`)).toMatchObject({ from_preview: false });
    await run(other);
    const { body: retried } = await post<Deployment>(`/deployments/${other}/retry`);
    expect(retried).toMatchObject({ from_preview: false, retry_of: other });
    await run(retried.id);
    expect(await readGuestResults(retried.id)).toMatchObject([{ status: 'ok', reason: null, difference: null }]);
    await run(checked);
    expect(await readGuestResults(checked)).toMatchObject([{ status: 'unchanged' }]);
    setFile(105, (text) => text.replace('-dport 22', '-dport 2222'));
    const { body: reconciled } = await post<ApplyResult>(`/policies/${policy.id}/reconcile`);
    // The one that waited since before will do.
    expect(reconciled.clusters[0]?.deployment_id).toBe(unchecked);
    await run(unchecked);
    expect(policyRuleLines(105, policy)[0]).toContain('-dport 22 ');
  });

  it('refuses fingerprints that are none', async () => {
    const policy = await create(one(105));
    const answer = await lab.json(`/policies/${policy.id}/apply`, { body: { fingerprints: { web: 'x' } } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'malformed' } });
  });
});

describe('a worker that dies while it writes what a preview showed', () => {
  class Killed extends Error {}
  const endLeases = async () => {
    await lab.sql`update deployments set lease_owner = 'dead', lease_at = now() - interval '31 seconds',
      status = 'running', finished_at = null where status in ('running', 'failed', 'partial')`;
    await lab.sql`update guest_firewalls set lease_owner = 'dead', lease_at = now() - interval '31 seconds'`;
    await lab.sql`update deployment_guests set status = 'running', finished_at = null where status = 'failed'`;
  };
  const kill = (last: number) =>
    beforeWrites((write) => {
      if (write >= last) throw new Killed();
    });

  it('leaves a state from which the next one continues, unless rules were edited', async () => {
    const policy = await create({ definition: { ...DEFINITION, targets: [at(105)], default_action: 'drop' } });
    const before = lab.control.firewall.guestFile(105);
    const config = lab.control.guest(105).configText;
    const back = async () => {
      lab.control.firewall.setFile('firewall/105.fw', before);
      lab.control.guest(105).configText = config;
      await lab.sql`delete from policy_placements`;
      await lab.sql`delete from guest_firewalls`;
    };
    let writes = 0;
    const { guests } = await applyPreview(
      policy,
      await preview(policy),
      beforeWrites(() => writes++),
    );
    expect(guests.get(105)?.status).toBe('ok');
    const desired = lines(105);
    expect(writes).toBeGreaterThan(3);
    for (let last = 1; last <= writes; last++) {
      for (const edited of [false, true]) {
        await back();
        const id = await request(policy, listFingerprints(await preview(policy)));
        await run(id, kill(last)).catch(() => undefined);
        await endLeases();
        const half = lines(105);
        if (edited) lab.control.firewall.insertRule(105, 'IN DROP -p tcp -dport 8081 # meanwhile', 0);
        await run(id);
        const [guest] = await readGuestResults(id);
        const where = `killed at write ${last}`;
        if (edited) {
          expect(guest, where).toMatchObject({ status: 'failed', problems: [{ code: 'changed_since_preview' }] });
          expect(lines(105).slice(1), where).toEqual(half);
        } else {
          expect(guest, where).toMatchObject({ status: 'ok' } satisfies Partial<DeploymentGuest>);
          expect(lines(105), where).toEqual(desired);
        }
      }
    }
  });

  it('leaves no guest behind that was skipped and is written later', async () => {
    const policy = await create();
    const id = await request(policy, {});
    await run(id);
    await endLeases();
    await run(id);
    expect((await readGuestResults(id)).map(({ reason }) => reason)).toEqual(FIVE.map(() => 'changed_since_preview'));
    for (const vmid of FIVE) expect(policyRuleLines(vmid, policy)).toEqual([]);
  });
});
