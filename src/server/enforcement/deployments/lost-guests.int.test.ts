import { describe, expect, it } from 'vitest';
import type { Deployment } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import {
  apply,
  at,
  beforeWrites,
  create,
  DEFINITION,
  get,
  lab,
  lines,
  policyRuleLines,
  prepareDeploymentLab,
  readGuestResults,
  run,
  waiting,
} from './testing/deployment-lab.fixture';

prepareDeploymentLab();

const createAt = (vmid: number) =>
  create({ definition: { ...DEFINITION, targets: [at(vmid)], default_action: 'drop' } });
/** Acts right before a write reaches the cluster, once. */
const strikeAt = (write: number, strike: () => unknown) =>
  beforeWrites((number) => (number === write ? strike() : undefined));
const countPlacements = async (policy: Policy) =>
  (await lab.sql`select from policy_placements where policy_id = ${policy.id}`).length;

describe('a guest that is gone during a deployment', () => {
  it.each([1, 2, 3, 4])('leaves no file for the next one with its number, destroyed before write %i', async (write) => {
    const policy = await createAt(105);
    const deployment = await apply(
      policy,
      strikeAt(write, () => lab.control.destroyGuest(105)),
    );
    expect(lab.control.firewall.file('firewall/105.fw')).toBeUndefined();
    const [guest] = await readGuestResults(deployment.id);
    expect(guest).toMatchObject({ status: 'skipped', problems: [{ code: 'guest_missing' }] });
    // What was written, and at most one write that takes the last one back.
    expect(guest?.writes).toBeGreaterThanOrEqual(write);
    expect(guest?.writes).toBeLessThanOrEqual(write + 1);
    expect(deployment.writes).toBe(guest?.writes);
  });

  it.each([1, 3, 4])('changes nothing at the one that has its number since write %i', async (write) => {
    const policy = await createAt(105);
    const { node } = lab.control.guest(105);
    const nics = [{ bridge: 'vmbr0' }];
    const deployment = await apply(
      policy,
      strikeAt(write, () => lab.control.reuseVmid({ vmid: 105, type: 'qemu', node, name: 'stranger', nics })),
    );
    expect(lab.control.firewall.file('firewall/105.fw')).toBeUndefined();
    expect(lab.control.guest(105).configText).not.toContain('firewall=1');
    const [guest] = await readGuestResults(deployment.id);
    expect(guest).toMatchObject({ status: 'failed', problems: [{ code: 'another_guest' }] });
    expect(guest?.writes).toBeGreaterThanOrEqual(write);
  });
});

it('writes nothing to a guest whose SMBIOS uuid was removed until it is synced, and says so', async () => {
  const policy = await createAt(105);
  lab.control.setConfig(105, { smbios1: 'serial=abc' });
  const deployment = await apply(policy);
  const [guest] = await readGuestResults(deployment.id);
  const problem = {
    code: 'another_guest',
    message: expect.stringContaining('may belong'),
    remedy: expect.stringContaining('Sync'),
  };
  expect(guest).toMatchObject({ status: 'failed', writes: 0, problems: [problem] });
  await lab.sync();
  expect(await readGuestResults((await apply(policy)).id)).toMatchObject([{ status: 'ok' }]);
});

describe('a file that reads as empty while it is being replaced', () => {
  it.each([1, 2, 3])('does not end a removal before the rules are gone, at read %i of the rules', async (number) => {
    const policy = await createAt(100);
    await apply(policy);
    await lab.json(`/policies/${policy.id}`, { method: 'DELETE' });
    const [id = ''] = await waiting(policy);
    let reads = 0;
    await run(id, async (request, execute) => {
      const isRules = request.method === 'GET' && request.path.endsWith('/100/firewall/rules');
      if (isRules && ++reads === number) lab.control.firewall.readEmptyOnce('firewall/100.fw');
      return execute();
    });
    expect(await get<Deployment>(`/deployments/${id}`)).toMatchObject({ status: 'ok' });
    expect(policyRuleLines(100, policy)).toEqual([]);
    expect(await countPlacements(policy)).toBe(0);
  });

  it('does not hide a clone with rules from a cleanup', async () => {
    const policy = await createAt(100);
    await apply(policy);
    lab.control.cloneGuest(100, 190, 'clone');
    await lab.sync();
    await lab.observe();
    await lab.json(`/policies/${policy.id}`, { method: 'DELETE' });
    const [id = ''] = await waiting(policy);
    lab.control.firewall.readEmptyOnce('firewall/190.fw');
    await run(id);
    expect(policyRuleLines(190, policy)).toEqual([]);
  });

  it('changes neither the status of a policy nor its drift', async () => {
    const policy = await createAt(100);
    await apply(policy);
    await lab.observe();
    lab.control.firewall.readEmptyOnce('firewall/100.fw');
    await lab.observe();
    expect(await get<Policy>(`/policies/${policy.id}`)).toMatchObject({ deployment_status: 'active' });
    expect((await get<{ items: unknown[] }>('/drift')).items).toEqual([]);
    // What is really gone is noticed by the same read.
    lab.control.firewall.setFile('firewall/100.fw', '');
    await lab.observe();
    expect(lines(100)).toEqual([]);
    expect(await get<Policy>(`/policies/${policy.id}`)).toMatchObject({ deployment_status: 'stale' });
  });
});
