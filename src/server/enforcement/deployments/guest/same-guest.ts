import type { DeploymentProblem } from '@/domain/deployments';
import type { GuestFilter, PlanStep } from '@/domain/policy/plan/guest-filter';
import { isSameFingerprintKind } from '../../../inventory/reconcile/interfaces';
import type { GuestConfig, GuestRef, HypervisorProvider } from '../../../providers/hypervisor/types';
import { listManagedComments } from '../../guest-firewall/emptied';
import { GuestProblem, toDeploymentProblem } from './perform-step';
import type { ReadGuest } from './read-guest-filter';

/** @throws GuestProblem when another guest has got the number, or may have got it */
export function assertSameGuest(
  { creation_fingerprint: found }: GuestConfig,
  fingerprint: string | null,
  { vmid }: GuestRef,
): void {
  if (fingerprint === null || found === null || found === fingerprint) return;
  throw new GuestProblem({
    code: 'another_guest',
    message: isSameFingerprintKind(fingerprint, found)
      ? `VMID ${vmid} belongs to another workload than the one in the inventory.`
      : `VMID ${vmid} may belong to another workload than the one in the inventory: its SMBIOS uuid or creation time was added or removed.`,
    remedy: 'Sync the cluster, check the policy, then apply the policy again.',
  });
}

/**
 * Whether a write that succeeded, with nothing missing afterwards, proves that the file is still the guest's: a file is
 * deleted with its guest, so what was there before the write would be missing, or the digest of the write be refused. The
 * cluster accepts a new rule, a new set and options for a number without a guest, too.
 */
export function isProof(before: GuestFilter, { kind }: PlanStep): boolean {
  if (kind === 'create_rule') return listManagedComments(before).length > 0;
  return kind !== 'create_set' && kind !== 'delete_set' && kind !== 'set_options';
}

/**
 * Takes back a write to a number that was no longer the guest's, as far as what is stored there is proven to be that write.
 * @param state what was read before it
 * @returns whether something was written
 * @throws ProviderError
 */
export async function undoStep(
  { firewallWriter: writer }: HypervisorProvider,
  { ref, options: before }: ReadGuest,
  step: PlanStep,
): Promise<boolean> {
  if (step.kind === 'create_rule') {
    const { items, digest } = await writer.readRules(ref);
    const written = items.find(({ comment }) => comment === step.rule.comment);
    if (!written) return false;
    await writer.deleteRule(ref, { pos: written.pos, digest });
    return true;
  }
  if (step.kind === 'create_set') {
    const set = await writer.readSet(ref, step.name);
    if (set?.entries.length !== 0) return false;
    await writer.deleteSet(ref, step.name);
    return true;
  }
  if (step.kind === 'set_options') {
    const { value, digest } = await writer.readOptions(ref);
    const changes = Object.entries(step.changes) as [keyof typeof step.changes, string | number | null][];
    if (!changes.every(([name, written]) => (value[name] ?? null) === written)) return false;
    const restored = Object.fromEntries(changes.map(([name]) => [name, before[name] ?? null]));
    await writer.setOptions(ref, restored, digest);
    return true;
  }
  // Everything else names something of the guest's file, so it was refused.
  return false;
}

/** A write that reached a number without its guest and could not be taken back. */
export const createLeftProblem = ({ vmid }: GuestRef, failure: unknown): DeploymentProblem => ({
  code: 'left_behind',
  message: `The last write reached VMID ${vmid} when its workload was gone, and could not be undone: ${toDeploymentProblem(failure).message}`,
  remedy: `Remove what is marked [fabric …] from the firewall of VMID ${vmid}, and check its options, before the VMID is used.`,
});
