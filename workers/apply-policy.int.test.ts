import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ApplyResult, Deployment } from '@/domain/deployments';
import { scheduleDeployments } from '@/server/enforcement/deployments/schedule';
import { makePolicyLab, type PolicyLab } from '@/server/enforcement/policies/testing/policy-lab.fixture';
import { queueBackend } from '@/server/jobs/backend';
import { closeQueues, getQueue } from '@/server/jobs/queues';
import { bundled } from '@/test/bundle';
import { until } from '@/test/until';

vi.stubEnv('REDIS_URL', '');
const program = bundled('workers/some-jobs.fixture.ts');
const FIVE = [100, 101, 102, 105, 200];

describe('the worker of a deployment', () => {
  let lab: PolicyLab;
  let children: ChildProcess[] = [];

  beforeAll(() => queueBackend.prepare());
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
    for (const name of ['policy.apply', 'policy.cleanup'] as const) await getQueue(name).obliterate({ force: true });
    await lab.close();
  });
  afterAll(() => closeQueues());

  async function startWorker(): Promise<ChildProcess> {
    const child = spawn(process.execPath, [program(), 'policy.apply', 'policy.cleanup'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    return child;
  }
  async function makePolicy() {
    lab = await makePolicyLab({ timeScale: 2 });
    return lab.create({
      definition: {
        enforcement_mode: 'enforced',
        direction: 'in',
        sources: ['10.20.22.0/24'],
        targets: FIVE.map((vmid) => `vmid:${lab.cluster.id}/${vmid}`),
      },
      rules: [
        { action: 'accept', protocol: 'tcp', destination_ports: ['22'] },
        { action: 'drop', protocol: 'tcp', destination_ports: ['23'] },
      ],
    });
  }
  const rulesAt = (vmid: number) =>
    (lab.control.firewall.guestFile(vmid) ?? '').split('\n').filter((line) => line.includes('[fabric ')).length;
  const row = async (id: string): Promise<Deployment> => (await lab.json(`/deployments/${id}`)).body;

  it('applies and cleans up, and returns the result to the waiting caller', async () => {
    const policy = await makePolicy();
    await startWorker();
    const { status, body } = await lab.json(`/policies/${policy.id}/apply?wait=true`, { method: 'POST' });
    const result = body as ApplyResult;
    expect(status).toBe(200);
    expect(result).toMatchObject({
      success: true,
      applied: true,
      dry_run: false,
      policy_mode: 'enforced',
      message: null,
    });
    expect(result.clusters[0]?.guests.map(({ vmid, status }) => [vmid, status])).toEqual(FIVE.map((v) => [v, 'ok']));
    for (const vmid of FIVE) expect(rulesAt(vmid)).toBe(2);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    await until('the rules are gone', async () => FIVE.every((vmid) => rulesAt(vmid) === 0));
  });

  it('may be killed at any time: another one ends it', async () => {
    const policy = await makePolicy();
    const { body } = await lab.json(`/policies/${policy.id}/apply`, { method: 'POST' });
    const id = (body as ApplyResult).clusters[0]?.deployment_id ?? '';
    // Slow enough to be met in the middle.
    lab.simulator.onRequest({ method: 'POST', path: /firewall\/rules$/ }, { kind: 'delay', ms: 1_500 });
    const worker = await startWorker();
    await until('rules are being written', async () => FIVE.some((vmid) => rulesAt(vmid) > 0));
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    worker.kill('SIGKILL');
    await gone;
    lab.simulator.clearFaults();
    expect(await row(id)).toMatchObject({ status: 'running', attempts: 1 });
    // No other worker takes it, or a guest of it, while the leases hold.
    await lab.sql`update deployments set lease_at = lease_at - interval '31 seconds' where id = ${id}`;
    await lab.sql`update guest_firewalls set lease_at = lease_at - interval '31 seconds'`;
    await getQueue('policy.apply').obliterate({ force: true });
    await startWorker();
    await scheduleDeployments();
    await until('that deployment has ended', async () => (await row(id)).finished_at !== null);
    expect(await row(id)).toMatchObject({ status: 'ok', attempts: 2, guests: { ok: expect.any(Number) } });
    for (const vmid of FIVE) expect(rulesAt(vmid)).toBe(2);
  });
});
