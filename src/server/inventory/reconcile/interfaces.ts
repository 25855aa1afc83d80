import type { GuestConfig, GuestKind, GuestNic } from '../../providers/hypervisor/types';
import { diffByKey, sameFields } from './diff';
import { CONFIG_READ_NOTE_MS } from './guests';

/** The columns of a workload interface that a sync writes. `mac` is in lower case, as the database prints it. */
export type InterfaceState = Omit<GuestNic, 'mac'> & { mac: string | null; network_id: string | null };
export type PresentInterface = InterfaceState & { id: string; workload_id: string };

export type InterfacePlan = {
  create: InterfaceState[];
  change: PresentInterface[];
  remove: PresentInterface[];
  kept: number;
};

/** Networks of the cluster by name: only the name distinguishes a bridge from a vnet. */
export type NetworkIds = ReadonlyMap<string, string>;

const syncedState = (nic: GuestNic, networks: NetworkIds): InterfaceState => ({
  name: nic.name,
  guest_name: nic.guest_name,
  model: nic.model,
  mac: nic.mac?.toLowerCase() ?? null,
  bridge: nic.bridge,
  network_id: nic.bridge === null ? null : (networks.get(nic.bridge) ?? null),
  vlan_tag: nic.vlan_tag,
  trunks: nic.trunks,
  firewall: nic.firewall,
  link_down: nic.link_down,
  mtu: nic.mtu,
  rate_mbytes: nic.rate_mbytes,
  ip_config: nic.ip_config,
  pending: nic.pending,
  raw: nic.raw,
});

/** Compares the cards of a config with those stored. One that is there but could not be understood is left as it is. */
export function planInterfaces(
  config: GuestConfig,
  present: readonly PresentInterface[],
  networks: NetworkIds,
): InterfacePlan {
  const unreadable = new Set(config.unreadable.map((nic) => nic.name));
  const byName = (nic: { name: string }) => nic.name;
  const diff = diffByKey(
    config.nics.map((nic) => syncedState(nic, networks)),
    present.filter((nic) => !unreadable.has(nic.name)),
    { desired: byName, present: byName },
    sameFields,
  );
  return {
    create: diff.create,
    change: diff.change.map(({ present: row, desired }) => ({ ...desired, id: row.id, workload_id: row.workload_id })),
    remove: diff.remove,
    kept: diff.keep.length + (present.length - diff.keep.length - diff.change.length - diff.remove.length),
  };
}

const readFingerprintKind = (fingerprint: string) => fingerprint.split(':', 1)[0];

/** Whether two fingerprints that differ can prove two guests: those of different kinds, as when an SMBIOS uuid was removed, cannot. */
export const isSameFingerprintKind = (known: string, found: string): boolean =>
  readFingerprintKind(known) === readFingerprintKind(found);

/**
 * Whether the config belongs to another guest than the workload known under this vmid. A fingerprint that is not known
 * proves nothing. A container's fingerprint is the address of its first card, which its owner may change: as long as
 * one of its cards is still there it is the same container. A virtual machine's is of another kind when its SMBIOS uuid
 * was removed or added: then only cards that are all others prove another guest.
 */
export function isOtherGuest(
  workload: { kind: GuestKind; creation_fingerprint: string | null },
  config: Pick<GuestConfig, 'creation_fingerprint' | 'nics'>,
  present: readonly { mac: string | null }[],
): boolean {
  const [known, now] = [workload.creation_fingerprint, config.creation_fingerprint];
  if (known === null || now === null || known === now) return false;
  if (workload.kind === 'qemu' && isSameFingerprintKind(known, now)) return true;
  const knownMacs = new Set(present.flatMap((nic) => nic.mac ?? []));
  const macs = config.nics.flatMap((nic) => nic.mac?.toLowerCase() ?? []);
  if (workload.kind === 'qemu' && (knownMacs.size === 0 || macs.length === 0)) return false;
  return !macs.some((mac) => knownMacs.has(mac));
}

/** What is remembered of a config that was read. */
export type ConfigState = { creation_fingerprint: string | null; config_digest: string; config_read_at: string };

/** The columns to store after reading a config, or null when they would say nothing new. */
export function configState(
  known: { creation_fingerprint: string | null; config_digest: string | null; config_read_at: string | null },
  config: GuestConfig,
  now: Date,
): ConfigState | null {
  const next = {
    creation_fingerprint: config.creation_fingerprint ?? known.creation_fingerprint,
    config_digest: config.digest,
    config_read_at: now.toISOString(),
  };
  const noted = known.config_read_at !== null && now.getTime() - Date.parse(known.config_read_at) < CONFIG_READ_NOTE_MS;
  const same = known.config_digest === next.config_digest && known.creation_fingerprint === next.creation_fingerprint;
  return same && noted ? null : next;
}
