import { SETTABLE_STATES } from '@/domain/choices';
import { type ConflictResolveInput, type IpamConflict, RESOLUTIONS_OF } from '@/domain/ipam/conflict';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { assertVersion, notFound, refuseField } from '../lib/refusals';
import { audited } from './audited';
import {
  type ConflictRow,
  countOpenConflicts,
  findConflict,
  lockConflict,
  updateConflictRow,
} from './queries/ipam-conflicts';
import { lockNetworks } from './queries/ipam-space';
import { type AddressRow, findAssignee, lockAddresses, updateAddressRow } from './queries/ipam-writes';

/** @throws AppError `not_found` */
export async function readConflict(scope: Scope<'ipam:read'>, id: string): Promise<IpamConflict> {
  const conflict = await findConflict(db, scope.reach, id);
  if (!conflict) throw notFound('conflict');
  return conflict;
}

const stateBefore = (conflict: ConflictRow): AddressRow['state'] =>
  SETTABLE_STATES.find((state) => state === conflict.state_before) ?? 'active';

/** What the address becomes by the decision. */
async function planChanges(
  tx: Tx,
  conflict: ConflictRow,
  address: AddressRow,
  resolution: ConflictResolveInput['resolution'],
): Promise<Partial<AddressRow>> {
  // The state stays that of a conflict while another one about the same address is open.
  const settled = address.state === 'conflict' && (await countOpenConflicts(tx, address.id)) === 0;
  if (resolution !== 'assign') return settled ? { state: stateBefore(conflict) } : {};
  const workload = conflict.other_workload_id === null ? null : await findAssignee(tx, conflict.other_workload_id);
  if (!workload) throw new AppError('refused', 'The other workload no longer exists. Keep the address as it is.');
  const nic = workload.interfaces.find(({ mac }) => mac !== null && mac === conflict.other_mac);
  return {
    workload_id: workload.id,
    interface_id: nic?.id ?? null,
    mac: conflict.other_mac,
    source: 'manual',
    // A stale address that gets a holder again is in use.
    ...((settled || address.state === 'stale') && {
      state: stateBefore(conflict) === 'dhcp' ? ('dhcp' as const) : ('active' as const),
    }),
  };
}

/**
 * Decides a conflict. The decision stands as long as the same facts are seen: later discoveries do not show it again.
 * @throws AppError `not_found`, `version_conflict`, `refused` for a decision that its kind does not allow or one taken already
 */
export function resolveConflict(
  scope: Scope<'ipam:write'>,
  id: string,
  { resolution, note, version }: ConflictResolveInput,
): Promise<IpamConflict> {
  return db.transaction(async (tx) => {
    const found = await findConflict(tx, 'all', id);
    if (!found) throw notFound('conflict');
    if (found.network_id !== null) await lockNetworks(tx, [found.network_id], 'content');
    const [address] = found.ip_address_id === null ? [] : await lockAddresses(tx, [found.ip_address_id]);
    const row = await lockConflict(tx, id);
    if (!row) throw notFound('conflict');
    assertVersion('conflict', row.version, version);
    if (row.status !== 'open') {
      throw new AppError(
        'refused',
        row.status === 'gone' ? 'The conflict no longer exists.' : 'The conflict is already resolved.',
      );
    }
    const allowed: readonly string[] = RESOLUTIONS_OF[row.kind];
    if (!allowed.includes(resolution))
      throw refuseField('resolution', `Allowed for this kind of conflict: ${allowed.join(', ')}.`);
    await updateConflictRow(tx, id, {
      status: 'resolved',
      resolution,
      note,
      resolved_at: clock.now().toISOString(),
      resolved_by_name: scope.actor.name,
    });
    const changes = address ? await planChanges(tx, row, address, resolution) : {};
    if (address && Object.keys(changes).length > 0) await updateAddressRow(tx, address.id, changes);
    await publishEvent(tx, { type: 'ipam.changed', cluster_id: row.cluster_id });
    const conflict = await findConflict(tx, 'all', id);
    if (!conflict) throw new Error('expected the locked conflict to exist');
    await recordAudit(tx, scope, {
      action: 'ipam_conflict.resolved',
      object_kind: 'ipam_conflict',
      object_id: id,
      object_name: row.address ?? row.mac ?? row.kind,
      before: { kind: row.kind, status: row.status, ...(address && { address: audited.address(address) }) },
      after: { resolution, note, ...(address && { address: audited.address({ ...address, ...changes }) }) },
    });
    return conflict;
  });
}
