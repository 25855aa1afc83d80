import type { AtOneTime } from '@/domain/as-of';
import { decideReach } from '@/domain/reach/decide-reach';
import type { Reach, ReachInput } from '@/domain/reach/reach';
import type { Scope } from '../../auth/scope';
import { describeReach } from './describe-reach';
import { chooseViewpoint, ReachInputs, readReachable } from './reach-inputs';

/** Parts of an answer that are shown. */
const MAX_PARTS = 100;

/**
 * Whether packets get from one end to another by the rules that were last read (inside `readPast`: by then, unknown where two readings
 * around that time differ), or those that a change would leave. Nothing is
 * changed, and no cluster is contacted.
 * @param changes evidence that changes may be read; needed with a change
 * @throws AppError `malformed` when the view has to be named; `not_found`, `conflict` of the change
 */
export async function readReach(
  { reach }: Scope<'workload:read'>,
  changes: Scope<'policy:read'> | null,
  { from, to, change_id, tenant_id, project_id, ...service }: AtOneTime<ReachInput>,
): Promise<Reach> {
  const owner = chooseViewpoint(reach, { tenant_id, project_id });
  const firewall = await readReachable(change_id, changes);
  const inputs = new ReachInputs(firewall, owner);
  const ends = { from: inputs.endOf(from), to: inputs.endOf(to) };
  const decision = decideReach(ends.from, ends.to, service, inputs.identify, MAX_PARTS);
  return describeReach({ firewall, reach }, decision, { ...ends, service, change_id: change_id ?? null });
}
