import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeItem } from '@/domain/change/items';
import type { ChangeState } from '@/domain/change/states';
import type { Policy, PolicySnapshot } from '@/domain/policies';
import { toPolicyFields } from '@/domain/policy/snapshot';
import { systemScope } from '@/server/auth/scope';
import { db } from '@/server/db/client';
import {
  at,
  DEFINITION,
  lab,
  lines,
  run,
  switches,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { clearSnapshotCaches } from '@/server/enforcement/guest-firewall/live-reader';
import {
  type ChangeRow,
  findChange,
  insertChange,
  type NewChange,
  readChangeHistory,
} from '@/server/enforcement/queries/changes';
import { newId } from '@/server/lib/ids';
import { AnswerError } from '@/server/providers/hypervisor/pve/errors/classify';
import type { Interference } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import { compileFresh } from '../../compiled/compile-fresh';
import { advanceChange } from '../advance-change';
import { applyChange } from '../apply-change';
import type { ApplyRights } from '../apply-checks';

export const scope = systemScope('policy:apply', 'test');
const RIGHTS: ApplyRights = {
  ...{ read: 'all', override: null, protect: null, breakGlass: null },
  impact: { policies: 'all', tests: 'all', flows: 'all' },
};
const NOTHING = { tenant_id: null, project_id: null };

const toSnapshot = (policy: Policy): PolicySnapshot => ({ ...toPolicyFields(policy), rules: policy.rules });

/** The definition of the lab's policies with these workloads as targets. */
export const targets = (...vmids: number[]) => ({
  definition: { ...DEFINITION, targets: vmids.map(at) } as PolicySnapshot['definition'],
});

/** An edit of a stored policy. */
export const edit = (policy: Policy, changes: Partial<PolicySnapshot> = {}): ChangeItem => {
  const before = toSnapshot(policy);
  return {
    ...{ kind: 'policy', policy_id: policy.id, name: policy.name, ...NOTHING, adopted_from: null },
    base_version: policy.version,
    before: { ...before, version: policy.version },
    after: { ...before, ...changes },
  };
};

/** A new policy like a stored one. */
export const add = (policy: Policy, changes: Partial<PolicySnapshot> = {}): ChangeItem => {
  const snapshot = toSnapshot(policy);
  const rules = snapshot.rules.map((rule) => ({ ...rule, id: newId() }));
  const after = { ...snapshot, rules, ...changes };
  const item = { kind: 'policy', policy_id: newId(), name: after.name, ...NOTHING, adopted_from: null } as const;
  return { ...item, base_version: null, before: null, after };
};

export const remove = (policy: Policy): ChangeItem => ({
  ...{ kind: 'policy_delete', policy_id: policy.id, name: policy.name, ...NOTHING, base_version: policy.version },
  before: { ...toSnapshot(policy), version: policy.version },
});

/** An approved change with these edits. */
export async function makeChange(items: readonly ChangeItem[], settings: Partial<NewChange> = {}): Promise<string> {
  const id = newId();
  const objects = items.flatMap(listObjectIds);
  await db.transaction((tx) =>
    insertChange(
      tx,
      {
        ...{ id, title: 'a change', items: [...items], content_hash: 'x', created_by_name: 'test', state: 'approved' },
        ...{ confirm_within_seconds: 600, waves: { canaries: null, pause_seconds: 0 }, on_failure: 'stop' },
        ...{ rollback_on_failed_check: false, ...settings },
      },
      items,
      objects,
    ),
  );
  return id;
}

export const readRow = async (id: string): Promise<ChangeRow> => {
  const row = await findChange(db, 'all', id);
  if (!row) throw new Error('expected the change to exist');
  return row;
};

/** The states that it had, in their order. */
export const listSteps = async (id: string) => (await readChangeHistory(db, id)).transitions;

/** Answers that the node of a workload does not give. */
export const unreachable =
  (vmid: number): Interference =>
  async (request, execute) => {
    if (new RegExp(`/(?:qemu|lxc)/${vmid}/`).test(request.path)) {
      throw new AnswerError({ status: 595, text: 'No route to host' });
    }
    return execute();
  };

/** Applies what is shown now, and nothing else. */
/** @param reason overrides policy tests that would fail */
export async function apply(id: string, by: Parameters<typeof applyChange>[0] = scope, reason?: string): Promise<void> {
  clearSnapshotCaches();
  const { items, log_new_rules } = await readRow(id);
  const { fingerprint } = await compileFresh(items, { log_new_rules });
  if (reason === undefined) return applyChange(by, id, { fingerprint }, RIGHTS);
  const override = systemScope('policy_test:override', 'test');
  return applyChange(by, id, { fingerprint, override_tests: { reason } }, { ...RIGHTS, override });
}

const openDeployments = (id: string) =>
  lab.sql<{ id: string; wave: number; kind: string }[]>`
    select id, wave, kind from deployments where change_id = ${id} and finished_at is null order by created_at, id`;

/** What workers do for a change until nothing is to be done any more. @returns its state then */
export async function drive(id: string, interfere?: Interference): Promise<ChangeState> {
  for (let rounds = 0; rounds < 40; rounds++) {
    const before = await readRow(id);
    await advanceChange(id);
    const open = await openDeployments(id);
    for (const deployment of open) await run(deployment.id, interfere);
    const after = await readRow(id);
    const isSame = before.state === after.state && JSON.stringify(before.rollout) === JSON.stringify(after.rollout);
    if (open.length === 0 && isSame) return after.state;
  }
  throw new Error('expected the change to come to an end');
}

/** What is live at a workload: rules in order and switches. Versions in markers count up when content returns. */
export const readLive = (vmid: number) => ({
  rules: lines(vmid).map((line) => line.replace(/ v=\d+ /, ' ')),
  ...switches(vmid),
});

/**
 * The worker dies at one of its calls to the hypervisor: nothing is given back, its leases run out, and another worker continues.
 * @param at the number of the call, from 0 @returns whether there was such a call
 */
export async function killAt(id: string, at: number, isDone: boolean): Promise<boolean> {
  let calls = 0;
  const dead = new Error('the worker died');
  for (let rounds = 0; rounds < 40; rounds++) {
    await advanceChange(id);
    const open = await openDeployments(id);
    if (open.length === 0) return false;
    for (const deployment of open) {
      const worker = new AbortController();
      const died = run(
        deployment.id,
        async (_request, execute) => {
          if (worker.signal.aborted) throw dead;
          if (calls++ !== at) return execute();
          worker.abort(dead);
          if (isDone) await execute();
          throw dead;
        },
        worker.signal,
      );
      const isKilled = await died.then(
        () => false,
        (error: unknown) => {
          if (error === dead) return true;
          throw error;
        },
      );
      if (!isKilled) continue;
      await lab.sql`update deployments set lease_owner = 'dead', lease_at = now() - interval '1 hour', attempts = 1
        where id = ${deployment.id}`;
      await lab.sql`update guest_firewalls set lease_at = now() - interval '1 hour' where lease_owner is not null`;
      return true;
    }
  }
  throw new Error('expected the change to come to an end');
}
