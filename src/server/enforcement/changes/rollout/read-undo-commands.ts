import { buildUndoCommands, type ChangeUndo } from '@/domain/change/undo-commands';
import { isWithinReach } from '@/domain/permissions';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { notFound } from '../../../lib/refusals';
import { ruleNamer } from '../../guest-firewall/named-rules';
import { toGuestFilter } from '../../guest-firewall/read-guest-live';
import { listOwnWorkloadIds } from '../../own-connections/own-workloads';
import { readFirewallState } from '../../policies/firewall-state/read-firewall-state';
import { findStateBeforeChange, listChangeWorkloads } from '../../queries/change-rollouts';
import { findChange } from '../../queries/changes';
import { compileChange } from '../compiled/compile-change';

/**
 * Commands that give the workloads which Fabric itself needs the firewall that they had before a change, as far as they are visible.
 * Before the change is applied it is what was last read of them. @throws AppError `not_found`
 */
export async function readUndoCommands(scope: Scope<'policy:apply'>, id: string): Promise<ChangeUndo> {
  const change = await findChange(db, scope.reach, id);
  if (!change) throw notFound('change');
  const { inputs, snapshots } = await readFirewallState();
  const planned = await listChangeWorkloads(db, id);
  const touched =
    planned.length > 0
      ? planned.filter(({ wave_kind }) => wave_kind === 'own').map(({ workload_id }) => workload_id)
      : (await compileChange(change.items)).workload_ids;
  const own = planned.length > 0 ? new Set(touched) : await listOwnWorkloadIds(inputs);
  const undo: ChangeUndo = { workloads: [], unknown: [] };
  for (const workload_id of touched) {
    const workload = inputs.workloads.get(workload_id);
    if (!workload || !own.has(workload_id) || !isWithinReach(workload, scope.reach)) continue;
    const { vmid, kind, name, node_name } = workload;
    const snapshot = snapshots.guests.get(workload_id)?.state;
    const before = (await findStateBeforeChange(db, id, workload_id)) ?? (snapshot ? toGuestFilter(snapshot) : null);
    const node = node_name ?? '$(hostname)';
    const { withholdLive } = ruleNamer(inputs, scope.reach, workload);
    // Commands contain the rules as they are, also those of the platform or of a former owner.
    const isOpen = before?.rules.every((rule) => withholdLive(rule) === rule);
    if (!before || !isOpen) undo.unknown.push(name);
    else
      undo.workloads.push({ workload_id, name, vmid, node, commands: buildUndoCommands({ vmid, kind, node }, before) });
  }
  return undo;
}
