import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Owned } from '@/domain/permissions';
import { compilePolicies } from '@/domain/policy/compile';
import type { Compiled } from '@/domain/policy/desired';
import { resolveMembers } from '@/domain/policy/group-members';
import { type InventoryIndex, indexGroups, indexInventory } from '@/domain/policy/inventory-index';
import { markLoggedRules, type TemporaryLog } from '@/domain/policy/temporary-log';
import { db, type Executor } from '../../db/client';
import { objectCache } from '../../lib/cache';
import { findSetting } from '../../settings/queries/settings';
import {
  type InputCluster,
  type InputGroup,
  type InputPolicy,
  type InputWorkload,
  type PolicyInputRows,
  readPolicyInputs,
} from '../queries/policy-inputs';

/** All policies and everything that they can refer to, as of one moment. */
export type PolicyInputs = {
  /** Id of this installation, part of every marker on a managed rule. */
  readonly instance: string;
  /** Disabled and audited ones included. */
  readonly policies: readonly InputPolicy[];
  readonly index: InventoryIndex;
  readonly groups: readonly InputGroup[];
  readonly workloads: ReadonlyMap<string, InputWorkload>;
  readonly clusters: ReadonlyMap<string, InputCluster>;
  /** Owners of deleted policies, by the policy's id. */
  readonly gone: ReadonlyMap<string, Owned>;
  /** Rules that are logged until their change is confirmed or rolled back. */
  readonly logs: readonly TemporaryLog[];
};

const Instance = z.object({ id: z.string().min(1) });

/**
 * Id of this installation, part of every marker on a managed rule.
 * @throws Error when the database was never set up
 */
export const readInstance = async (executor: Executor): Promise<string> =>
  Instance.parse((await findSetting(executor, 'instance'))?.value).id;

const toIndexedGroups = (groups: readonly InputGroup[], workloads: PolicyInputs['workloads']) =>
  groups.map((group) => {
    const { id, name, tenant_id, project_id } = group;
    return { id, name, tenant_id, project_id, workload_ids: resolveMembers(group, workloads) };
  });

/** The same inputs with other groups. */
export const withGroups = (inputs: PolicyInputs, groups: readonly InputGroup[]): PolicyInputs => ({
  ...inputs,
  groups,
  index: { ...inputs.index, groups: indexGroups(toIndexedGroups(groups, inputs.workloads)) },
});

/** The inputs built from rows; their order does not matter. */
export function buildPolicyInputs(instance: string, rows: PolicyInputRows): PolicyInputs {
  const workloads = new Map(rows.workloads.map((workload) => [workload.id, workload]));
  return {
    instance,
    policies: rows.policies,
    index: indexInventory({ ...rows, security_groups: toIndexedGroups(rows.groups, workloads) }),
    groups: rows.groups,
    workloads,
    clusters: new Map(rows.clusters.map((cluster) => [cluster.id, cluster])),
    gone: new Map(rows.gone.map((policy) => [policy.id, policy])),
    logs: rows.logs,
  };
}

const share = <T>(before: T, now: T): T => (isDeepStrictEqual(before, now) ? before : now);

/**
 * Inputs as they are now, of which everything that is as before is the same object: each workload, each list, and the inputs if nothing
 * differs. What is computed from them need not be computed again where nothing changed. What differs in order only may count as
 * different.
 */
export function shareInputs(before: PolicyInputs, now: PolicyInputs): PolicyInputs {
  const workloads = new Map([...now.workloads].map(([id, row]) => [id, share(before.workloads.get(id) ?? row, row)]));
  const isEveryWorkload =
    workloads.size === before.workloads.size && [...workloads].every(([id, row]) => before.workloads.get(id) === row);
  const parts = {
    policies: share(before.policies, now.policies),
    groups: share(before.groups, now.groups),
    workloads: isEveryWorkload ? before.workloads : workloads,
    clusters: share(before.clusters, now.clusters),
    gone: share(before.gone, now.gone),
    logs: share(before.logs, now.logs),
  };
  const networks = share(before.index.networks, now.index.networks);
  const isSame =
    before.instance === now.instance &&
    Object.entries(parts).every(([name, part]) => before[name as keyof typeof parts] === part) &&
    before.index.networks === networks;
  return isSame ? before : { ...now, ...parts, index: { ...now.index, networks } };
}

/** What no packet depends on. */
const WITHOUT_EFFECT = ['status', 'lock', 'creation_fingerprint', 'external_id'] as const;

const withoutEffect = (row: InputWorkload) =>
  ({ ...row, ...Object.fromEntries(WITHOUT_EFFECT.map((name) => [name, null])) }) as const;

/** Whether no packet depends on what differs about a workload. */
export const isSameWithoutEffect = (before: InputWorkload, now: InputWorkload): boolean =>
  before === now || isDeepStrictEqual(withoutEffect(before), withoutEffect(now));

/**
 * Whether by two inputs, one after the other, the same becomes of every packet, with the same workloads in every group. What filters is what
 * was read at guests and clusters: policies have no effect before they are applied.
 */
export function haveSameEffect(before: PolicyInputs, now: PolicyInputs): boolean {
  if (before === now) return true;
  const parts = ['groups', 'clusters'] as const;
  return (
    parts.every((part) => before[part] === now[part]) &&
    before.index.networks === now.index.networks &&
    before.workloads.size === now.workloads.size &&
    [...now.workloads].every(([id, row]) => {
      const old = before.workloads.get(id);
      return old !== undefined && isSameWithoutEffect(old, row);
    })
  );
}

/**
 * Reads the inputs of all clusters in one consistent state. Twelve queries, whatever there is.
 * @param moves workloads that are read as if they had this owner, by ID
 */
export function loadPolicyInputs(moves?: ReadonlyMap<string, Owned>): Promise<PolicyInputs> {
  return db.transaction(async (tx) => buildPolicyInputs(await readInstance(tx), await readPolicyInputs(tx, moves)), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

const byId = objectCache<readonly InputPolicy[], ReadonlyMap<string, InputPolicy>>({ name: 'policies_by_id' });

/** Policies by their ID; made once for each list, because it is needed for every workload. */
export const policiesById = (policies: readonly InputPolicy[]): ReadonlyMap<string, InputPolicy> =>
  byId.load(policies, null, () => new Map(policies.map((policy) => [policy.id, policy])));

/** Whether a policy puts rules at guests: it is enabled and enforced. */
export const isDeployed = (policy: Pick<InputPolicy, 'enabled' | 'definition'>): boolean =>
  policy.enabled && policy.definition.enforcement_mode === 'enforced';

/** What these policies alone require, with the log levels of changes that are not confirmed. */
export function compileLogged({ index, instance, logs }: PolicyInputs, policies: readonly InputPolicy[]): Compiled {
  const { guests, ...notes } = compilePolicies(policies, index, instance);
  return { guests: markLoggedRules(guests, logs), ...notes };
}

const compiled = objectCache<PolicyInputs, Compiled>({ name: 'compiled_policies' });

/** What all enabled and enforced policies together want at every guest; computed once for each inputs object. */
export function compileInputs(inputs: PolicyInputs): Compiled {
  return compiled.load(inputs, null, () => compileLogged(inputs, inputs.policies.filter(isDeployed)));
}
