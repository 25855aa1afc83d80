import { describe, expect, it } from 'vitest';
import { randomSource } from '@/domain/firewall/random-state.fixture';
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
import { groupBy } from '@/server/lib/group-by';
import { newId } from '@/server/lib/ids';
import { makeProject, makeTenant } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { scheduleChanges, startScheduledChanges } from '../rollout/start-scheduled';
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
import { readWatch } from './read-watch';

prepareDeploymentLab();

async function tick(): Promise<void> {
  const { signal } = new AbortController();
  await startScheduledChanges(signal);
  await scheduleChanges(signal);
}
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

  it('ignores a test that was overridden, and none that fails in addition', async () => {
    // The guest of the earlier test, in its cluster, keeps its own address.
    await assignAddresses(lab, { 100: '10.77.0.2' });
    const policy = await create(targets(100));
    await applyPolicy(policy);
    await lab.fresh(policy.id);
    const id = await makeChange([edit(policy, dropAll(policy))], { rollback_on_failed_check: true });
    const test = { expect: 'allow', protocol: 'tcp', ports: ['22'], from: ['10.20.22.0/24'], to: [at(100)] };
    const add = (name: string) => lab.json('/policy-tests', { body: { ...test, name } });
    expect(await add('known')).toMatchObject({ status: 201, body: { result: 'pass' } });
    await expect(apply(id)).rejects.toMatchObject({ extra: { reason: 'policy_tests_failing' } });
    await apply(id, undefined, 'admins use another way');
    expect(await drive(id)).toBe('awaiting_confirmation');
    await tick();
    expect(await readRow(id)).toMatchObject({ state: 'awaiting_confirmation' });
    expect(await add('new')).toMatchObject({ status: 201, body: { result: 'fail' } });
    await tick();
    expect(await readRow(id)).toMatchObject({ state: 'rolling_back' });
    const step = (await listSteps(id)).find(({ to }) => to === 'rolling_back');
    expect(step).toMatchObject({ comment: expect.stringContaining('policy test new') });
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

type Kind = 'opened_anew' | 'on_old_entries' | 'dropped' | 'silent' | 'new_drops' | null;
type Seen = { client: string; vmid: number; port: number; denied: boolean; first: number; last: number };

/** Minutes: applied at 0, the last write ended at 10. */
const [APPLIED, WRITTEN] = [0, 10];

/** What became of one conversation, from all that was seen of it. Only the port that a rule of the change drops makes a new drop. */
function classify(seen: readonly Seen[]): Kind {
  const some = (holds: (one: Seen) => boolean) => seen.some(holds);
  if (some(({ denied, first }) => !denied && first < APPLIED)) {
    if (some(({ denied, first }) => !denied && first >= WRITTEN)) return 'opened_anew';
    if (some(({ denied, last }) => denied && last >= APPLIED)) return 'dropped';
    return some(({ denied, first, last }) => !denied && first < WRITTEN && last >= WRITTEN)
      ? 'on_old_entries'
      : 'silent';
  }
  const isNew =
    some(({ denied, last }) => denied && last >= APPLIED) && !some(({ denied, first }) => denied && first < APPLIED);
  return isNew && seen[0]?.port === 23 ? 'new_drops' : null;
}

const toKey = ({ client, vmid, port }: Pick<Seen, 'client' | 'vmid' | 'port'>) => `${client} ${vmid} ${port}`;

describe('conversations at the workloads of a change', () => {
  it('match a simple count over all flows, as far as each reader sees the workloads', async () => {
    const policy = await create(targets(100, 102));
    lab.control.firewall.insertRule(100, 'IN DROP -p tcp -dport 2222 -log nolog # by hand', 0);
    const id = await makeChange([edit(policy)]);
    await apply(id);
    const everyone = { tests: null, agents: false, flows: 'all' } as const;
    expect(await readWatch({ reach: 'all' }, id, everyone)).toMatchObject({ conversations: null });
    expect(await drive(id)).toBe('awaiting_confirmation');
    const now = Date.now();
    const toTime = (minute: number) => new Date(now + (minute - 30) * 60_000).toISOString();
    await lab.sql`update changes set applied_at = ${toTime(APPLIED)}, written_at = ${toTime(WRITTEN)} where id = ${id}`;
    const rows = await lab.sql<{ id: string; vmid: number; node_id: string }[]>`
      select id, vmid, node_id from workloads where cluster_id = ${lab.cluster.id}`;
    const byVmid = new Map(rows.map((row) => [row.vmid, row]));
    const tenant = await makeTenant();
    const project = await makeProject(tenant);
    await lab.sql`update workloads set project_id = ${project.id} where id = ${byVmid.get(102)?.id ?? ''}`;
    const random = randomSource(5);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const flows: Seen[] = Array.from({ length: 400 }, () => {
      const first = Math.floor(random() * 95) - 75;
      const last = first + pick([0, 1, 5, 20, 80]);
      const port = pick([22, 23, 2222, 999]);
      return {
        client: `10.20.22.${1 + Math.floor(random() * 40)}`,
        vmid: pick([100, 102]),
        port,
        denied: random() < 0.4,
        first,
        last,
      };
    });
    const stored = flows.map(({ client, vmid, port, denied, first, last }) => {
      const server = byVmid.get(vmid);
      const isReply = random() < 0.5 && !denied;
      const ends = [
        { ip: client, port: 50_000, id: null },
        { ip: `10.77.0.${vmid - 90}`, port, id: server?.id ?? null },
      ];
      const [source, destination] = isReply ? ends.reverse() : ends;
      return {
        ...{
          node_id: server?.node_id,
          flow_key: newId(),
          cluster_id: lab.cluster.id,
          collector: 'test',
          protocol: 'tcp',
        },
        ...{ source_ip: source?.ip, source_port: source?.port, source_workload_id: source?.id },
        ...{
          destination_ip: destination?.ip,
          destination_port: destination?.port,
          destination_workload_id: destination?.id,
        },
        ...{ first_seen_at: toTime(first), observed_at: toTime(last), workload_id: server?.id },
        decision: denied ? pick(['drop', 'reject']) : 'observed',
        initiator: pick([null, isReply ? 'destination' : 'source']),
      };
    });
    await lab.sql`insert into traffic_flows ${lab.sql(stored as never)}`;
    const recent = flows.filter(({ last }) => last >= APPLIED - 60);
    const conversations = new Map([...groupBy(recent, toKey)].map(([key, seen]) => [key, classify(seen)]));
    for (const [reach, vmids] of [
      ['all', [100, 102]],
      [[tenant.id], [102]],
      [[newId()], []],
    ] as const) {
      const expected = [...conversations].filter(([key]) => vmids.some((vmid) => key.includes(` ${vmid} `)));
      const count = (kind: Kind) => expected.filter(([, one]) => one === kind).length;
      const watch = await readWatch({ reach: 'all' }, id, { ...everyone, flows: reach });
      if (vmids.length === 0) {
        expect(watch.conversations).toBeNull();
        continue;
      }
      const kinds = ['opened_anew', 'on_old_entries', 'dropped', 'silent', 'new_drops'] as const;
      expect(watch.conversations).toMatchObject(Object.fromEntries(kinds.map((kind) => [kind, count(kind)])));
      if (reach === 'all') expect(Math.min(...kinds.map(count))).toBeGreaterThan(0);
      const { listed = [] } = watch.conversations ?? {};
      const found = listed.map(({ client, server, port, reason }) => {
        const vmid = rows.find((row) => row.id === server.workload_id)?.vmid ?? 0;
        return [reason, conversations.get(toKey({ client: client.address, vmid, port: port ?? 0 }))];
      });
      for (const [reason, kind] of found) expect(kind).toBe(reason === 'new_drop' ? 'new_drops' : reason);
      expect(found).toHaveLength(Math.min(20, count('dropped') + count('silent') + count('new_drops')));
    }
  });
});
