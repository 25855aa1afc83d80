import { ProviderError } from '../../errors';
import type { NicFlagOutcome } from '../../firewall-types';
import type { GuestRef, InventoryReader } from '../../types';
import type { Params } from '../http/encode';
import { setNicFirewall } from '../net-config/nic-edit';

type Calls = {
  inventory: Pick<InventoryReader, 'readGuestConfig'>;
  put: (guest: GuestRef, params: Params) => Promise<void>;
};

/**
 * Sets the firewall flag of one interface, guarded by the digest of the configuration in which it was read. Nothing is
 * written while another change of the interface waits for the next start: it would be made live, or lost.
 * @throws ProviderError; `locked` while a backup, migration or the like holds the guest
 */
export async function setNicFlag(
  { inventory, put }: Calls,
  guest: GuestRef,
  name: string,
  enabled: boolean,
  fingerprint: string | null,
): Promise<NicFlagOutcome> {
  const config = await inventory.readGuestConfig(guest);
  const { creation_fingerprint: found } = config;
  if (fingerprint !== null && found !== null && found !== fingerprint) {
    throw new ProviderError(
      'conflict',
      `VMID ${guest.vmid} may belong to another workload now.`,
      'Sync the cluster, then apply the policy again.',
    );
  }
  const nic = config.nics.find((candidate) => candidate.name === name);
  const refusal = (
    reason: 'no_such_nic' | 'nic_not_editable' | 'nic_change_pending',
    message: string,
    remedy: string,
  ) => ({ outcome: 'refused', reason, message: `${name}: ${message}`, remedy }) as const;
  if (!nic) {
    const unreadable = config.unreadable.find((candidate) => candidate.name === name);
    return unreadable
      ? refusal('nic_not_editable', unreadable.reason, 'Correct the network device of the workload manually.')
      : refusal('no_such_nic', 'the workload has no such interface', 'Sync the cluster, then apply the policy again.');
  }
  if (nic.pending) {
    const remedy =
      'Restart the workload, or revert the pending change on its Hardware page. Then apply the policy again.';
    return refusal('nic_change_pending', 'a change is pending until the next start of the workload', remedy);
  }
  const edit = setNicFirewall(guest.kind, nic.raw, enabled);
  if (!edit.ok) return refusal('nic_not_editable', edit.reason, 'Set the firewall flag of the interface manually.');
  if (!edit.changed) return { outcome: 'unchanged' };
  await put({ ...guest, node: config.node }, { [name]: edit.text, digest: config.digest });
  return { outcome: 'set' };
}
