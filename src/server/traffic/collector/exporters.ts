import type {
  CollectorStatus,
  FlowExporter,
  FlowExporterInput,
  FlowExporterListInput,
  FlowExporterUpdate,
} from '@/domain/collector/exporter';
import type { Page } from '@/domain/list';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound, refuseField } from '../../lib/refusals';
import { findClusterName } from '../queries/agent-enrollments';
import * as repository from '../queries/flow-exporters';

const noSuchExporter = () => notFound('flow exporter');
const now = () => clock.now().toISOString();

const toAuditState = ({ name, address, cluster_name, node_name, enabled }: FlowExporter) => ({
  ...{ name, address, cluster_name, node_name, enabled },
});

const exportersChanged = (tx: Tx): Promise<void> => publishEvent(tx, { type: 'flow_exporter.changed' });

export const listExporters = (_: Scope<'agent:read'>, input: FlowExporterListInput): Promise<Page<FlowExporter>> =>
  repository.listExporters(input, now());

export const readCollector = (_: Scope<'agent:read'>): Promise<CollectorStatus> => repository.readCollector(now());

/** @throws AppError `not_found` */
export async function readExporter(_: Scope<'agent:read'>, id: string): Promise<FlowExporter> {
  const exporter = await repository.findExporter(db, id, now());
  if (!exporter) throw noSuchExporter();
  return exporter;
}

async function readStored(tx: Tx, id: string): Promise<FlowExporter> {
  const exporter = await repository.findExporter(tx, id, now());
  if (!exporter) throw new Error('expected the stored exporter to exist');
  return exporter;
}

type Requested = { id: string; cluster_id: string; name?: string; address?: string; node_id?: string | null };

/** @throws AppError `conflict` when another exporter has the name, the address or the node */
async function assertFree(tx: Tx, { id, name, address, node_id }: Requested): Promise<void> {
  if (name !== undefined && (await repository.isTaken(tx, 'name', name, id))) throw nameTaken('flow exporter', name);
  if (address !== undefined && (await repository.isTaken(tx, 'address', address, id)))
    throw new AppError('conflict', `Another flow exporter has the address ${address}.`, {
      errors: [{ field: 'address', message: 'Edit that exporter, or enter another address.' }],
    });
  if (node_id && (await repository.isTaken(tx, 'node_id', node_id, id)))
    throw new AppError('conflict', 'Another flow exporter reports the traffic of this node.', {
      errors: [{ field: 'node_id', message: 'Its traffic would count twice. Choose another node.' }],
    });
}

/** @throws AppError `refused` for a node of another cluster, and for one whose agent reports */
async function assertNode(tx: Tx, { cluster_id, node_id }: Requested): Promise<void> {
  if (!node_id) return;
  const node = await repository.findExporterNode(tx, { cluster_id, node_id }, now());
  if (!node) throw refuseField('node_id', 'Choose a node of this cluster.');
  if (node.has_agent)
    throw refuseField(
      'node_id',
      `The agent of ${node.name} reported in the last 24 hours, so its traffic would count twice. Leave the node empty, or remove the agent and try again after a day.`,
    );
}

/**
 * Allows a device to send flow records. The collector reads the list every few seconds.
 * @throws AppError `not_found` for an unknown cluster, `conflict`, `refused`
 */
export function createExporter(scope: Scope<'agent:install'>, input: FlowExporterInput): Promise<FlowExporter> {
  const id = newId();
  return db.transaction(async (tx) => {
    if (!(await findClusterName(tx, input.cluster_id))) throw notFound('cluster');
    await assertFree(tx, { id, ...input });
    await assertNode(tx, { id, ...input });
    await repository.insertExporter(tx, { id, ...input });
    await repository.forgetRefusedSender(tx, input.address);
    const exporter = await readStored(tx, id);
    await exportersChanged(tx);
    await recordAudit(tx, scope, {
      action: 'flow_exporter.created',
      object_kind: 'flow_exporter',
      object_id: id,
      object_name: input.name,
      after: toAuditState(exporter),
    });
    return exporter;
  });
}

/**
 * Changes an exporter; omitted fields stay.
 * @throws AppError `not_found`, `version_conflict`, `conflict`, `refused`
 */
export function updateExporter(
  scope: Scope<'agent:install'>,
  id: string,
  input: FlowExporterUpdate,
): Promise<FlowExporter> {
  return db.transaction(async (tx) => {
    const row = await repository.lockExporter(tx, id);
    if (!row) throw noSuchExporter();
    assertVersion('flow exporter', row.version, input.version);
    const { version: _version, ...fields } = input;
    const before = await readStored(tx, id);
    const changes = changedFields(row, fields);
    if (Object.keys(changes).length === 0) return before;
    const requested = { id, cluster_id: row.cluster_id, ...changes };
    await assertFree(tx, requested);
    await assertNode(tx, requested);
    await repository.updateExporterRow(tx, id, changes);
    if (changes.address !== undefined) await repository.forgetRefusedSender(tx, changes.address);
    const after = await readStored(tx, id);
    await exportersChanged(tx);
    await recordAudit(tx, scope, {
      action: 'flow_exporter.updated',
      object_kind: 'flow_exporter',
      object_id: id,
      object_name: after.name,
      before: toAuditState(before),
      after: toAuditState(after),
    });
    return after;
  });
}

/** Deletes an exporter. Its stored flows stay until their retention ends. @throws AppError `not_found` */
export function deleteExporter(scope: Scope<'agent:install'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    if (!(await repository.lockExporter(tx, id))) throw noSuchExporter();
    const before = await readStored(tx, id);
    assertVersion('flow exporter', before.version, version);
    await repository.deleteExporterRow(tx, id);
    await exportersChanged(tx);
    await recordAudit(tx, scope, {
      action: 'flow_exporter.deleted',
      object_kind: 'flow_exporter',
      object_id: id,
      object_name: before.name,
      before: toAuditState(before),
    });
  });
}
