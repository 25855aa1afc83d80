import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { ChangeDifference } from '@/domain/change/difference';
import type { Policy, PolicySnapshot } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import {
  apply as applyPolicy,
  create,
  get,
  lab,
  lines,
  post,
  prepareDeploymentLab,
  RULES,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { refreshFirewallState } from '@/server/enforcement/policies/firewall-state/read-firewall-state';
import { newId } from '@/server/lib/ids';
import { fakeClock } from '@/test/fake-clock';
import { getRunCount } from '@/test/thorough';
import { confirmChange, rollBackChange } from './decide-change';
import {
  apply,
  drive,
  edit,
  killAt,
  makeChange,
  readLive,
  readRow,
  scope,
  targets,
  unreachable,
} from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const GUESTS = [100, 102];
const LOGGED = { log_new_rules: 'info' as const };
const readAll = () => GUESTS.map(readLive);
const withoutLog = (live: ReturnType<typeof readAll>) =>
  live.map(({ rules, ...rest }) => ({ ...rest, rules: rules.map((line) => line.replace(' -log info', '')) }));
const listLogged = (vmid: number) => lines(vmid).filter((line) => line.includes(' -log info'));
const read = ({ id }: Policy) => get<Policy>(`/policies/${id}`);
const countLogs = async () => (await lab.sql`select policy_id from temporary_logs`).length;
const countDrift = async () => {
  const ids = await Promise.all(GUESTS.map((vmid) => lab.id(vmid)));
  const firewall = await refreshFirewallState(() => ids);
  return ids.map((id) => firewall.viewAt(id)?.diff?.removed.length);
};

/** An applied policy, and changes that put rules for a port before its own. */
async function prepare() {
  const policy = await create(targets(...GUESTS));
  await applyPolicy(policy);
  const change = async (port: string, settings: object = LOGGED) => {
    const stored = await read(policy);
    const [first] = stored.rules;
    if (!first) throw new Error('expected a rule');
    const own = stored.rules.slice(-RULES.length);
    const rules = [{ ...first, id: newId(), destination_ports: [port] }, ...own];
    const numbered = rules.map((rule, position) => ({ ...rule, position })) as PolicySnapshot['rules'];
    const id = await makeChange([edit(stored, { rules: numbered })], settings);
    await apply(id);
    return id;
  };
  return { policy, change };
}

const confirm = async (id: string) => {
  await confirmChange(scope, id, {});
  return drive(id);
};

describe('rules that are logged until a change is confirmed', () => {
  it('differ by their log level only, and not at all once the change is confirmed', async () => {
    const { change } = await prepare();
    const plain = await change('8080', {});
    expect(await drive(plain)).toBe('awaiting_confirmation');
    const fresh = readAll();
    await rollBackChange(scope, plain, {});
    expect(await drive(plain)).toBe('rolled_back');
    const kept = await change('8080');
    expect(await drive(kept)).toBe('awaiting_confirmation');
    expect(withoutLog(readAll())).toEqual(fresh);
    // The rules that were there before are written with another version, and are not logged.
    for (const vmid of GUESTS) expect(listLogged(vmid)).toEqual([expect.stringContaining('-dport 8080')]);
    expect(await countDrift()).toEqual([0, 0]);
    expect(await confirm(kept)).toBe('confirmed');
    expect(readAll()).toEqual(fresh);
    expect(await readRow(kept)).toMatchObject({ removes_log: false, problems: [] });
    expect([await countDrift(), await countLogs()]).toEqual([[0, 0], 0]);
    const [placed] = await lab.sql<{ rules: object[] }[]>`select rules from policy_placements`;
    expect(placed?.rules).not.toContainEqual(expect.objectContaining({ temporary_log: 'info' }));
    const actions = await lab.sql<{ action: string; after: object }[]>`
      select action, after from audit_records where object_id = ${kept} order by id`;
    expect(actions.map(({ action }) => action).slice(-2)).toEqual(['change.confirmed', 'change.log_removed']);
    expect(actions).toContainEqual({ action: 'change.applying', after: expect.objectContaining(LOGGED) });
  }, 120_000);

  it('keep what someone else edited, also the level', async () => {
    const { policy, change } = await prepare();
    const id = await change('8080');
    await drive(id);
    const file = lab.control.firewall.guestFile(100) ?? '';
    lab.control.firewall.setFile(
      'firewall/100.fw',
      file.replace('-log info', '-log warning').replace('enable: 1', 'enable: 0'),
    );
    lab.control.firewall.insertRule(102, 'IN ACCEPT -p tcp -dport 9100 -log info # by hand', 0);
    const before = readAll();
    expect(await confirm(id)).toBe('confirmed');
    const [first, second] = readAll();
    expect(first).toEqual(before[0]);
    expect(second?.rules).toEqual(
      before[1]?.rules.map((line) => (line.includes('by hand') ? line : line.replace(' -log info', ''))),
    );
    expect(await read(policy)).toMatchObject({ version: 2 });
  });

  it('keep their level where a workload cannot be written, which is reported and tried again', async () => {
    const { change } = await prepare();
    const id = await change('8080');
    await drive(id);
    await confirmChange(scope, id, {});
    expect(await drive(id, unreachable(102))).toBe('confirmed');
    expect(GUESTS.map((vmid) => listLogged(vmid).length)).toEqual([0, 1]);
    expect(await readRow(id)).toMatchObject({
      removes_log: true,
      problems: [{ code: 'log_removal_waiting', message: expect.stringContaining('One workload failed') }],
    });
    // Until then it is what is desired, so it is no drift.
    expect(await countDrift()).toEqual([0, 0]);
    const clock = fakeClock();
    clock.advance(30);
    await drive(id).finally(clock.restore);
    expect(await readRow(id)).toMatchObject({ removes_log: false, problems: [] });
    expect(GUESTS.map((vmid) => listLogged(vmid).length)).toEqual([0, 0]);
  });

  it('have no level in the end although the worker dies at any call', async () => {
    const { change } = await prepare();
    const ports = ['8080', '8081'];
    const fresh: ReturnType<typeof readAll>[] = [];
    for (const port of ports) {
      const id = await change(port, {});
      await drive(id);
      fresh.push(readAll());
      await confirm(id);
    }
    const step = getRunCount(5, 1);
    let kills = 0;
    for (let call = 0, wasKilled = true; wasKilled; call += step) {
      const at = kills % 2;
      const id = await change(ports[at] ?? '');
      await drive(id);
      await confirmChange(scope, id, {});
      wasKilled = await killAt(id, call, Math.floor(kills / 2) % 2 === 0);
      expect(await drive(id)).toBe('confirmed');
      expect([call, readAll()]).toEqual([call, fresh[at]]);
      expect(await readRow(id)).toMatchObject({ removes_log: false, problems: [] });
      if (wasKilled) kills += 1;
    }
    expect(kills).toBeGreaterThan(2);
  }, 3_600_000);
});

describe('previews', () => {
  it('show the level, and an apply writes what they show', async () => {
    const policy = await create(targets(...GUESTS));
    const before = readAll();
    const shown = (await post<PolicyPreview>(`/policies/${policy.id}/preview`, LOGGED)).body;
    const guests = shown.clusters.flatMap((cluster) => cluster.guests);
    for (const { changes } of guests) {
      expect(changes?.added).toMatchObject([
        { log: 'info', temporary_log: true },
        { log: 'info', temporary_log: true },
      ]);
    }
    const fingerprints = Object.fromEntries(guests.map(({ workload_id, fingerprint }) => [workload_id, fingerprint]));
    const ask = (body: object) =>
      post<Change>('/changes/apply-policy', { policy_id: policy.id, fingerprints, ...body });
    expect(await ask({})).toMatchObject({ status: 409, body: { reason: 'preview_outdated' } });
    const { status, body } = await ask(LOGGED);
    expect([status, body.log_new_rules]).toEqual([202, 'info']);
    expect(await drive(body.id)).toBe('awaiting_confirmation');
    expect(GUESTS.map((vmid) => listLogged(vmid).length)).toEqual([2, 2]);
    expect(await get<Change>(`/changes/${body.id}`)).toMatchObject({ log_new_rules: 'info', removes_log: false });
    await rollBackChange(scope, body.id, {});
    expect(await drive(body.id)).toBe('rolled_back');
    expect([readAll(), await countLogs()]).toEqual([before, 0]);
  });

  it('mark the rules of a change that are new, and refuse a change without a timer', async () => {
    const policy = await create(targets(...GUESTS));
    await applyPolicy(policy);
    const { definition, name, enabled, priority } = await read(policy);
    const items = [
      {
        kind: 'policy',
        policy_id: policy.id,
        policy: {
          ...{ name, enabled, priority, definition },
          rules: [{ ...RULES[0], destination_ports: ['8080'] }, ...RULES],
        },
      },
    ];
    const { status, body } = await post<Change>('/changes', { title: 'logged', items, ...LOGGED });
    expect([status, body.log_new_rules]).toEqual([201, 'info']);
    const difference = await get<ChangeDifference>(`/changes/${body.id}/difference`);
    expect(difference).toMatchObject({ log_new_rules: 'info', totals: { added: 6 } });
    for (const { changes } of difference.workloads) {
      const logged = changes.added.filter(({ temporary_log }) => temporary_log);
      expect(logged).toMatchObject([{ destination_port: '8080', log: 'info' }]);
      expect(changes.added.filter(({ log }) => log === 'info')).toEqual(logged);
    }
    const refusal = { status: 422, body: { errors: [{ field: 'log_new_rules' }] } };
    const without = { confirm_within_seconds: 0 };
    expect(await post('/changes', { title: 'no timer', items, ...LOGGED, ...without })).toMatchObject(refusal);
    expect(await post('/changes/apply-policy', { policy_id: policy.id, ...LOGGED, ...without })).toMatchObject(refusal);
    const patched = await lab.json(`/changes/${body.id}`, { method: 'PATCH', body: { ...without, version: 1 } });
    expect(patched).toMatchObject(refusal);
  });
});
