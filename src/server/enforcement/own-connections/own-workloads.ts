import {
  apiAddresses,
  OWN_ROLES,
  type OwnAnswer,
  OwnAnswers,
  type OwnPlace,
  type OwnRole,
  type OwnWorkload,
  type OwnWorkloadInput,
  type OwnWorkloads,
  type RoleAddresses,
  roleAddresses,
} from '@/domain/own-connections/own-workloads';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { groupBy } from '../../lib/group-by';
import { assertVersion, refuseField } from '../../lib/refusals';
import { findSetting, insertSetting, lockSetting, updateSetting } from '../../settings/queries/settings';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import type { PolicyInputs } from '../policies/policy-inputs';
import { listHolders, listOwnProcesses } from '../queries/own-processes';
import { GONE_MS } from './report-process';

/** `system_settings.key` of what operators answered. */
const ANSWERS_KEY = 'own_workloads';

/** A role with what was found, and what was answered. */
export type KnownRole = RoleAddresses & {
  readonly role: OwnRole;
  readonly status: OwnWorkload['status'];
  /** Workloads that are the only ones with an address, with these addresses. */
  readonly found: ReadonlyMap<string, readonly string[]>;
  /** Addresses that several workloads have, or claim, with these workloads. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  readonly answer: OwnAnswer | null;
};

export type KnownRoles = {
  /** The APIs of the clusters, as the processes reach them. */
  readonly api: Pick<RoleAddresses, 'addresses' | 'ports'>;
  readonly roles: readonly KnownRole[];
  readonly processes: Awaited<ReturnType<typeof listOwnProcesses>>;
};

/** Workloads that have an address of the role, whether or not others have it as well. */
const listRoleWorkloads = ({ found, ambiguous }: Pick<KnownRole, 'found' | 'ambiguous'>): string[] =>
  [...new Set([...found.keys(), ...[...ambiguous.values()].flat()])].sort();

function getRoleStatus(known: Omit<KnownRole, 'status'>, inputs: Pick<PolicyInputs, 'workloads'>): KnownRole['status'] {
  const { answer, state } = known;
  if (!answer) return state === 'known' ? 'unanswered' : state;
  const isGone = answer.workload_ids.some((id) => !inputs.workloads.has(id));
  const isNew = listRoleWorkloads(known).some((id) => !answer.found.includes(id) && !answer.workload_ids.includes(id));
  if (isGone || isNew) return 'changed';
  return answer.workload_ids.length > 0 ? 'confirmed' : 'outside';
}

/** The parts of Fabric: what its processes report, which workloads have these addresses, and the answers. */
export async function readOwnRoles(inputs: Pick<PolicyInputs, 'workloads'>): Promise<KnownRoles> {
  const cutoff = new Date(clock.now().getTime() - GONE_MS).toISOString();
  const [processes, setting] = await Promise.all([listOwnProcesses(db, cutoff), findSetting(db, ANSWERS_KEY)]);
  const answers = OwnAnswers.parse(setting?.value ?? {});
  const byRole = roleAddresses(processes);
  const addresses = [...new Set(OWN_ROLES.flatMap((role) => byRole[role].addresses))];
  const rows = addresses.length === 0 ? [] : await listHolders(db, addresses);
  const holders = groupBy(
    rows.filter(({ workload_id }) => inputs.workloads.has(workload_id)),
    ({ address }) => address,
  );
  const roles = OWN_ROLES.map((role): KnownRole => {
    const found = new Map<string, string[]>();
    const ambiguous = new Map<string, string[]>();
    for (const address of byRole[role].addresses) {
      const list = holders.get(address) ?? [];
      const ids = [...new Set(list.map(({ workload_id }) => workload_id))];
      const [only, ...others] = ids;
      if (only === undefined) continue;
      if (others.length > 0 || list.some(({ disputed }) => disputed)) ambiguous.set(address, ids);
      else found.set(only, [...(found.get(only) ?? []), address]);
    }
    const known = { ...byRole[role], role, found, ambiguous, answer: answers[role] ?? null };
    return { ...known, status: getRoleStatus(known, inputs) };
  });
  return { api: apiAddresses(processes), roles, processes };
}

const isOpen = ({ status }: Pick<OwnWorkload, 'status'>) => status === 'unanswered' || status === 'changed';

function toOwnWorkload({ workloads, clusters }: PolicyInputs, known: KnownRole): OwnWorkload {
  const toOwnPlaces = (ids: Iterable<string>): OwnPlace[] =>
    [...ids].flatMap((id) => {
      const workload = workloads.get(id);
      if (!workload) return [];
      const { name, vmid, cluster_id } = workload;
      return [{ id, name, vmid, cluster_name: clusters.get(cluster_id)?.name ?? '' }];
    });
  const { role, status, addresses, ports, found, ambiguous, answer } = known;
  return {
    ...{ role, status, version: answer?.version ?? 0 },
    addresses: [...addresses],
    ports: [...ports],
    found: toOwnPlaces(found.keys()),
    ambiguous: [...ambiguous].map(([address, ids]) => ({ address, workloads: toOwnPlaces(ids) })),
    answer: answer && {
      workloads: toOwnPlaces(answer.workload_ids),
      answered_by: answer.answered_by,
      answered_at: answer.answered_at,
    },
  };
}

/** The parts of Fabric with the workloads that they run on. They belong to the installation: users of single tenants have none. */
export async function listOwnWorkloads({ reach }: Scope<'policy_test:read'>): Promise<OwnWorkloads> {
  if (reach !== 'all') return { items: [], open: 0, processes: [] };
  const { inputs } = await readFirewallState();
  const { roles, processes } = await readOwnRoles(inputs);
  const items = roles.map((known) => toOwnWorkload(inputs, known));
  return {
    items,
    open: items.filter(isOpen).length,
    processes: processes.map(({ id, kind, reported_at }) => ({ id, kind, reported_at })),
  };
}

/**
 * Stores on which workloads a part of Fabric runs; none means that it runs outside the clusters. It is asked again only when another
 * workload has one of its addresses, or one of these workloads is gone.
 * @throws AppError `version_conflict`, `refused` for a workload that does not exist
 */
export async function answerOwnWorkload(
  scope: Scope<'policy_test:protect'>,
  role: OwnRole,
  { workload_ids, version }: OwnWorkloadInput,
): Promise<OwnWorkload> {
  const { inputs } = await readFirewallState();
  const unknown = workload_ids.find((id) => !inputs.workloads.has(id));
  if (unknown !== undefined) {
    throw refuseField('workload_ids', `No workload has the id ${unknown}. Choose existing workloads.`);
  }
  const at = clock.now().toISOString();
  const listWorkloadNames = (ids: readonly string[]) => ids.map((id) => inputs.workloads.get(id)?.name ?? id);
  const known = (await readOwnRoles(inputs)).roles.find((one) => one.role === role);
  const answer: Omit<OwnAnswer, 'version'> = {
    workload_ids: [...new Set(workload_ids)],
    found: known ? listRoleWorkloads(known) : [],
    answered_by: scope.actor.name,
    answered_at: at,
  };
  await db.transaction(async (tx) => {
    await insertSetting(tx, ANSWERS_KEY, {}, at);
    const answers = OwnAnswers.parse((await lockSetting(tx, ANSWERS_KEY))?.value ?? {});
    const before = answers[role];
    const stored = before?.version ?? 0;
    assertVersion('answer', stored, version);
    await updateSetting(tx, ANSWERS_KEY, { ...answers, [role]: { ...answer, version: stored + 1 } }, at);
    await publishEvent(tx, { type: 'policy_test.changed', tenant_id: null, project_id: null });
    await recordAudit(tx, scope, {
      action: 'own_workloads.answered',
      object_kind: 'own_workloads',
      object_id: role,
      object_name: role,
      ...(before && { before: { workloads: listWorkloadNames(before.workload_ids) } }),
      after: { workloads: listWorkloadNames(answer.workload_ids) },
    });
  });
  const answered = (await readOwnRoles(inputs)).roles.find((one) => one.role === role);
  if (!answered) throw new Error(`expected the role ${role}`);
  return toOwnWorkload(inputs, answered);
}

/** Workloads that Fabric runs on, as answered or, where nothing was answered, as found. */
export async function listOwnWorkloadIds(inputs: Pick<PolicyInputs, 'workloads'>): Promise<Set<string>> {
  const { roles } = await readOwnRoles(inputs);
  return new Set(roles.flatMap((known) => [...(known.answer?.workload_ids ?? []), ...listRoleWorkloads(known)]));
}
