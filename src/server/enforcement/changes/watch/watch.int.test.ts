import { describe, expect, it } from 'vitest';
import type { Policy } from '@/domain/policies';
import {
  apply as applyPolicy,
  at,
  create,
  lab,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { assignAddresses } from '@/server/enforcement/policy-tests/testing/addresses.fixture';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { fakeClock } from '@/test/fake-clock';
import { scheduleChanges } from '../rollout/start-scheduled';
import {
  apply,
  drive,
  edit,
  listSteps,
  makeChange,
  readLive,
  readRow,
  targets,
  unreachable,
} from '../rollout/testing/rollout-lab.fixture';

prepareDeploymentLab();

const tick = () => scheduleChanges(new AbortController().signal);
const HEARTBEAT_SECONDS = 10;

/** The agent of the node of a workload reports now, and is silent from then on. */
const reportOnce = (vmid: number) => lab.sql`
  insert into node_agents (node_id, token_hash, last_heartbeat_at, interval_seconds)
  select node_id, ${newId()}, ${clock.now().toISOString()}, ${HEARTBEAT_SECONDS} from workloads
  where cluster_id = ${lab.cluster.id} and vmid = ${vmid}`;

const dropAll = (policy: Policy) => ({ rules: policy.rules.map((rule) => ({ ...rule, action: 'drop' as const })) });
const canary = async (vmid: number, pause_seconds: number | null) => ({
  waves: { canaries: { by: 'workloads' as const, workload_ids: [await lab.id(vmid)] }, pause_seconds },
});

describe('a check that fails', () => {
  it('takes the change back before the next wave is written', async () => {
    await assignAddresses(lab, { 100: '10.77.0.1' });
    const policy = await create(targets(100, 102));
    await applyPolicy(policy);
    const before = [100, 102].map(readLive);
    for (const rollback_on_failed_check of [true, false]) {
      const fresh = (await lab.json(`/policies/${policy.id}`)).body as Policy;
      const settings = { ...(await canary(100, 0)), rollback_on_failed_check };
      const id = await makeChange([edit(fresh, dropAll(fresh))], settings);
      await apply(id);
      const body = {
        name: 'admins',
        expect: 'allow',
        protocol: 'tcp',
        ports: ['22'],
        from: ['10.20.22.0/24'],
        to: [at(100)],
      };
      const test = await lab.json('/policy-tests', { body });
      expect(test).toMatchObject({ status: 201, body: { result: 'pass' } });
      expect(await drive(id)).toBe(rollback_on_failed_check ? 'rolled_back' : 'awaiting_confirmation');
      const waves = await lab.sql`
        select distinct wave from deployments where change_id = ${id} and wave > 0 order by wave`;
      expect(waves.map(({ wave }) => wave)).toEqual(rollback_on_failed_check ? [1] : [1, 2]);
      if (rollback_on_failed_check) expect([100, 102].map(readLive)).toEqual(before);
      await lab.json(`/policy-tests/${(test.body as { id: string }).id}`, { method: 'DELETE' });
    }
  });

  it.each([
    ['after the canaries', null, 'applying'],
    ['during its confirmation', 0, 'awaiting_confirmation'],
    ['after a failure', 0, 'failed'],
  ] as const)('takes a change back that waits %s, at the next look', async (_, pause, state) => {
    const time = fakeClock();
    try {
      const policy = await create(targets(100, 102));
      await applyPolicy(policy);
      const before = [100, 102].map(readLive);
      await reportOnce(100);
      const settings = { ...(await canary(100, pause)), confirm_within_seconds: 3_600, rollback_on_failed_check: true };
      const id = await makeChange([edit(policy, dropAll(policy))], settings);
      await apply(id);
      expect(await drive(id, state === 'failed' ? unreachable(100) : undefined)).toBe(state);
      await tick();
      expect(await readRow(id)).toMatchObject({ state });
      time.advance(600);
      await tick();
      expect(await readRow(id)).toMatchObject({ state: 'rolling_back' });
      expect(await drive(id)).toBe('rolled_back');
      expect([100, 102].map(readLive)).toEqual(before);
      const step = (await listSteps(id)).find(({ to }) => to === 'rolling_back');
      expect(step).toMatchObject({ comment: expect.stringContaining('agent of node') });
    } finally {
      time.restore();
    }
  });
});
