import { db } from '../../../db/client';
import type { PolicyWorld } from '../../policies/world/load-policy-world';
import { listGuestsOf } from '../../queries/deployment-guests';
import type { HeldDeployment } from '../deployment-session';
import type { GuestWork } from '../guest-work';
import type { Work } from '../plan-apply';

/** The workloads that were named when the removal was requested; nothing is wanted there. */
export async function planRemoval({ id, policy_version }: HeldDeployment, world: PolicyWorld): Promise<Work> {
  const guests = (await listGuestsOf(db, [id])).flatMap(({ workload_id }): GuestWork[] => {
    const workload = world.workloads.get(workload_id);
    return workload ? [{ workload, wanted: null }] : [];
  });
  return { version: policy_version, guests, problems: [] };
}
