import { z } from 'zod';
import type { Owned } from '@/domain/permissions';
import { compilePolicies } from '@/domain/policy/compile';
import { type InventoryIndex, indexInventory } from '@/domain/policy/inventory-index';
import type { Compiled } from '@/domain/policy/wanted';
import { db, type Executor, type Tx } from '../../db/client';
import { objectCache } from '../../lib/cache';
import { findSetting } from '../../settings/queries/settings';
import {
  type PolicyWorldRows,
  readPolicyWorld,
  type WorldCluster,
  type WorldPolicy,
  type WorldWorkload,
} from '../queries/policy-world';

/** All policies and everything that they can refer to, as of one moment. */
export type PolicyWorld = {
  /** Id of this installation, in every marker of ours. */
  readonly instance: string;
  /** Disabled and audited ones included. */
  readonly policies: readonly WorldPolicy[];
  readonly index: InventoryIndex;
  readonly workloads: ReadonlyMap<string, WorldWorkload>;
  readonly clusters: ReadonlyMap<string, WorldCluster>;
  /** Owners of deleted policies, by the policy's id. */
  readonly gone: ReadonlyMap<string, Owned>;
};

const Instance = z.object({ id: z.string().min(1) });

/** Id of this installation, in every marker of ours. @throws Error when the database was never set up */
export const readInstance = async (executor: Executor): Promise<string> =>
  Instance.parse((await findSetting(executor, 'instance'))?.value).id;

const readWorld = async (tx: Tx): Promise<PolicyWorld> => buildWorld(await readInstance(tx), await readPolicyWorld(tx));

/** The world made of rows; no order of them matters. */
export function buildWorld(instance: string, rows: PolicyWorldRows): PolicyWorld {
  return {
    instance,
    policies: rows.policies,
    index: indexInventory(rows),
    workloads: new Map(rows.workloads.map((workload) => [workload.id, workload])),
    clusters: new Map(rows.clusters.map((cluster) => [cluster.id, cluster])),
    gone: new Map(rows.gone.map((policy) => [policy.id, policy])),
  };
}

/** Reads the world of all clusters in one consistent state. Eleven queries, whatever there is. */
export function loadPolicyWorld(): Promise<PolicyWorld> {
  return db.transaction(readWorld, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}

/** Whether a policy puts rules at guests: it is enabled and enforced. */
export const isDeployed = (policy: Pick<WorldPolicy, 'enabled' | 'definition'>): boolean =>
  policy.enabled && policy.definition.enforcement_mode === 'enforced';

const compiled = objectCache<PolicyWorld, Compiled>({ name: 'compiled_policies' });

/** What all enabled and enforced policies together want at every guest; worked out once per world. */
export function compileWorld(world: PolicyWorld): Compiled {
  return compiled.load(world, null, () =>
    compilePolicies(world.policies.filter(isDeployed), world.index, world.instance),
  );
}
