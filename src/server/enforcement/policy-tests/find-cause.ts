import { getOwnerId } from '@/domain/policy/acts-on';
import { readGroupName } from '@/domain/policy/pin-group';
import { findGroups } from '@/domain/policy/resolve';
import type { TestDecision, TestFinding } from '@/domain/policy-tests/decide';
import { NO_EVENT, type StoredCause } from '@/domain/policy-tests/definition';
import { describeClusterEdit, describeGuestEdit } from '@/domain/policy-tests/firewall-edit';
import type { Executor } from '../../db/client';
import type { Readable } from '../policies/planned-change';
import {
  type CauseRecord,
  findDeploymentAt,
  findRunningSyncRun,
  listCauseRecords,
} from '../queries/policy-test-causes';
import type { PolicyTestRow } from '../queries/policy-tests';
import { TestInputs } from './test-inputs';

/** What was evaluated before and now; `before` is null in the first pass of a process. */
export type Evaluated = { readonly before: Readable | null; readonly now: Readable };

type Places = { readonly workload_ids: readonly string[]; readonly cluster_ids: readonly string[] };

function getPlaceIds({ source_place, destination_place }: TestFinding, { inputs }: Readable): Places {
  const places = [source_place, destination_place].filter((place) => place !== null);
  return {
    workload_ids: places.flatMap((place) => (place.kind === 'workload' ? [place.id] : [])),
    cluster_ids: places.flatMap((place) =>
      place.kind === 'node' ? [place.cluster_id] : (inputs.workloads.get(place.id)?.cluster_id ?? []),
    ),
  };
}

/** Groups that the ends name, as the owner of the test sees them. */
function listNamedGroups(test: PolicyTestRow, { inputs }: Readable): Set<string> {
  const owner = getOwnerId(test);
  const named = [...test.from, ...test.to].flatMap((text) => readGroupName(text) ?? []);
  const groups = named.flatMap((reference) => findGroups(reference, inputs.index.groups, owner));
  return new Set(groups.map(({ id }) => id));
}

/** How well a record explains the failure; 0: not at all. */
function relevance(record: CauseRecord, test: PolicyTestRow, finding: TestFinding, now: Readable): number {
  const { workload_ids, cluster_ids } = getPlaceIds(finding, now);
  const text = JSON.stringify([record.before, record.after]);
  const names = (values: readonly string[]) => values.some((value) => text.includes(value));
  switch (record.object_kind) {
    case 'security_group':
      if (!listNamedGroups(test, now).has(record.object_id ?? '')) return 0;
      return names(workload_ids) ? 100 : 70;
    case 'workload':
      return workload_ids.includes(record.object_id ?? '') ? 95 : 0;
    case 'ip_address':
      return names([finding.packet.source, finding.packet.destination]) || names(workload_ids) ? 90 : 30;
    case 'subnet':
    case 'network':
      return [...test.from, ...test.to].some((end) => end.includes('network:')) ? 60 : 0;
    case 'mapping_rule':
    case 'project':
      return 20;
    case 'cluster':
      if (!cluster_ids.includes(record.object_id ?? '')) return 0;
      return record.action === 'cluster.synced' || record.action === 'ipam.discovered' ? 50 : 10;
    default:
      return 0;
  }
}

const KIND_OF: Readonly<Record<string, StoredCause['kind']>> = {
  'cluster.synced': 'sync',
  'ipam.discovered': 'discovery',
};

function toRecordCause(record: CauseRecord): StoredCause {
  const { at, action, object_kind, object_id, object_name, tenant_id } = record;
  const kind = KIND_OF[action] ?? 'audit';
  const actor = record.actor_kind === 'user' ? record.actor_name : null;
  const name = object_name ?? object_id ?? '';
  const texts: Partial<Record<StoredCause['kind'], string>> = {
    sync: `A sync of ${name} changed workloads, networks or tags.`,
    discovery: `An address discovery of ${name} changed addresses.`,
  };
  const text = texts[kind] ?? `${actor ?? 'The system'} changed ${name} (${action}).`;
  return { kind, at, text, actor_name: actor, action, object_kind, object_id, object_name, tenant_id };
}

/** Someone edited the firewall on the cluster: what differs at the places of the counterexample. */
function toEditCause(test: PolicyTestRow, finding: TestFinding, { before, now }: Evaluated, at: string): StoredCause {
  const { workload_ids, cluster_ids } = getPlaceIds(finding, now);
  const edits = [
    ...workload_ids.flatMap((id) => {
      const [old, fresh] = [before?.snapshots.guests.get(id)?.state, now.snapshots.guests.get(id)?.state];
      const edit = old && fresh && describeGuestEdit(old, fresh);
      const name = now.inputs.workloads.get(id)?.name ?? id;
      return edit ? [{ kind: 'workload', id, name, text: `On ${name}, ${edit} on the cluster.` }] : [];
    }),
    ...cluster_ids.flatMap((id) => {
      const [old, fresh] = [before?.snapshots.clusters.get(id)?.state, now.snapshots.clusters.get(id)?.state];
      const edit = old && fresh && describeClusterEdit(old, fresh);
      const name = now.inputs.clusters.get(id)?.name ?? id;
      return edit ? [{ kind: 'cluster', id, name, text: `On ${name}, ${edit}.` }] : [];
    }),
  ];
  const [found] = edits;
  return {
    kind: 'live_rules',
    at,
    text: found?.text ?? 'The live firewall rules changed on the cluster, not through Fabric.',
    ...NO_EVENT,
    ...(found && { object_kind: found.kind, object_id: found.id, object_name: found.name }),
    // What is edited on the workloads of the test concerns its owner.
    tenant_id: test.tenant_id,
  };
}

/** Whether the test fails because of what is live, whatever changed in groups and addresses; null: not known. */
function isCausedBySnapshots(test: PolicyTestRow, { before, now }: Evaluated): boolean | null {
  if (!before) return null;
  const mixed = new TestInputs({ inputs: before.inputs, snapshots: now.snapshots });
  return mixed.decide(test).result === 'fail';
}

/**
 * The event that made a test fail: a change of the live rules, by a deployment or on the cluster itself, or the newest record
 * of the audit trail that explains it best.
 * @param since when the test was last evaluated with another result
 */
export async function findCause(
  executor: Executor,
  test: PolicyTestRow,
  decision: TestDecision,
  evaluated: Evaluated,
  since: string,
  at: string,
): Promise<StoredCause> {
  const { finding } = decision;
  const unknown: StoredCause = {
    kind: 'unknown',
    at,
    text: 'The cause is not known.',
    ...NO_EVENT,
    tenant_id: test.tenant_id,
  };
  if (!finding) return unknown;
  const { workload_ids, cluster_ids } = getPlaceIds(finding, evaluated.now);
  const bySnapshots = isCausedBySnapshots(test, evaluated);
  if (bySnapshots !== false) {
    const deployment = await findDeploymentAt(executor, workload_ids, since);
    if (deployment) {
      const { policy_id, policy_name, policy_version, workload_name } = deployment;
      return {
        kind: 'deployment',
        at: deployment.at,
        text: `A deployment of ${policy_name} (version ${policy_version}) changed the rules on ${workload_name}.`,
        actor_name: deployment.actor_name,
        action: `policy.${deployment.kind}`,
        object_kind: 'policy',
        object_id: policy_id,
        object_name: policy_name,
        tenant_id: deployment.tenant_id,
      };
    }
    if (bySnapshots) return toEditCause(test, finding, evaluated, at);
  }
  const scored = (await listCauseRecords(executor, since))
    .map((record) => ({ record, score: relevance(record, test, finding, evaluated.now) }))
    .filter(({ score }) => score > 0)
    // Records come newest first, and sorting keeps that order.
    .sort((a, b) => b.score - a.score);
  const [best] = scored;
  if (best) return toRecordCause(best.record);
  const run = await findRunningSyncRun(executor, cluster_ids);
  if (!run) return bySnapshots === null ? toEditCause(test, finding, evaluated, at) : unknown;
  const name = evaluated.now.inputs.clusters.get(run.cluster_id)?.name ?? '';
  const kind = run.kind === 'ipam' ? 'discovery' : 'sync';
  const text =
    kind === 'sync'
      ? `The running sync of ${name} changed the inventory.`
      : `The running address discovery of ${name} changed addresses.`;
  return {
    ...unknown,
    kind,
    at: run.at ?? at,
    text,
    object_kind: 'cluster',
    object_id: run.cluster_id,
    object_name: name,
    tenant_id: null,
  };
}
