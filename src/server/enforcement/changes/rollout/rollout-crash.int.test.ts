import { describe, expect, it } from 'vitest';
import {
  apply as applyPolicy,
  create,
  lab,
  prepareDeploymentLab,
  unmanagedRuleLines,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { getRunCount } from '@/test/thorough';
import { rollBackChange } from './decide-change';
import {
  add,
  apply,
  drive,
  edit,
  killAt,
  makeChange,
  readLive,
  remove,
  scope,
  targets,
} from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const GUESTS = [100, 102, 105];
const readAll = () => GUESTS.map(readLive);

/** Policies that are applied, and a change that edits one, deletes one and creates one, in two waves. */
async function prepare() {
  for (const vmid of GUESTS)
    lab.control.firewall.insertRule(vmid, 'IN ACCEPT -p tcp -dport 9999 -log nolog # by hand', 0);
  const edited = await create(targets(100, 102));
  const deleted = await create(targets(102));
  for (const policy of [edited, deleted]) await applyPolicy(policy);
  const waves = { canaries: { by: 'workloads' as const, workload_ids: [await lab.id(100)] }, pause_seconds: 0 };
  const refresh = async () => {
    const read = async (id: string) => (await lab.json(`/policies/${id}`)).body;
    const items = [
      edit(await read(edited.id), { rules: edited.rules.slice(1) }),
      remove(await read(deleted.id)),
      add(edited, { name: `fresh ${Math.random()}`, ...targets(105) }),
    ];
    const id = await makeChange(items, { waves, log_new_rules: 'info' });
    await apply(id);
    return id;
  };
  return { old: readAll(), unmanaged: GUESTS.map(unmanagedRuleLines), refresh };
}

/** What is live when the change is written, without the identity of the policy that it creates. */
const anonymous = (live: ReturnType<typeof readAll>) =>
  JSON.stringify(live)
    .replace(/ p=[0-9a-f-]{36} /g, ' ')
    .replace(/ r=[0-9a-f]+ /g, ' ');

describe('a worker that dies at any call', () => {
  it.each([
    ['before the call is done', false],
    ['after it was done', true],
  ] as const)(
    '%s leaves every workload old or new in the end',
    async (_, isDone) => {
      const { old, unmanaged, refresh } = await prepare();
      const whole = await refresh();
      expect(await drive(whole)).toBe('awaiting_confirmation');
      const fresh = readAll();
      await rollBackChange(scope, whole, {});
      expect(await drive(whole)).toBe('rolled_back');
      expect(readAll()).toEqual(old);
      const step = getRunCount(97, 1);
      const tried = { waves: 0, rollback: 0 };
      // While it is written: the change continues to its end, or is taken back from there.
      for (let call = step === 1 || !isDone ? 0 : 31; ; call += step) {
        const id = await refresh();
        const wasKilled = await killAt(id, call, isDone);
        if (tried.waves % 2 === 0) {
          expect(await drive(id)).toBe('awaiting_confirmation');
          expect([call, anonymous(readAll())]).toEqual([call, anonymous(fresh)]);
        }
        await rollBackChange(scope, id, {});
        expect(await drive(id)).toBe('rolled_back');
        expect([call, readAll()]).toEqual([call, old]);
        expect(GUESTS.map(unmanagedRuleLines)).toEqual(unmanaged);
        if (!wasKilled) break;
        tried.waves += 1;
      }
      // While it is rolled back.
      for (let call = step === 1 || !isDone ? 0 : 47; ; call += step) {
        const id = await refresh();
        await drive(id);
        await rollBackChange(scope, id, {});
        const wasKilled = await killAt(id, call, isDone);
        expect(await drive(id)).toBe('rolled_back');
        expect([call, readAll()]).toEqual([call, old]);
        expect(GUESTS.map(unmanagedRuleLines)).toEqual(unmanaged);
        if (!wasKilled) break;
        tried.rollback += 1;
      }
      expect(Math.min(tried.waves, tried.rollback)).toBeGreaterThan(1);
      if (step === 1)
        process.stdout.write(`killed at ${tried.waves} calls of waves, ${tried.rollback} of the rollback\n`);
    },
    4 * 3_600_000,
  );
});
