import { z } from 'zod';
import { ProviderError } from '../../errors';
import type { GuestConfig, GuestNic, GuestRef } from '../../types';
import { textField } from '../answers/fields';
import { parseList, parseObject } from '../answers/parse-list';
import { apiPath } from '../http/encode';
import { toGuestNic } from '../net-config/nic-view';
import type { InventoryContext } from './context';
import { creationFingerprint } from './creation-fingerprint';

const DRIVE = /^(ide|sata|scsi|virtio)\d+$/;
/** The volume of a cloud-init drive: `local-lvm:vm-100-cloudinit`, `local:100/vm-100-cloudinit.qcow2`. */
const CLOUD_INIT_VOLUME = /^(file=)?[^,]*[:/](vm-\d+-)?cloudinit(\.\w+)?(,|$)/;

/** Whether a cloud-init drive is attached; without one `ipconfigN` has no effect. */
export const hasCloudInitDrive = (config: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(config).some(
    ([key, value]) => DRIVE.test(key) && typeof value === 'string' && CLOUD_INIT_VOLUME.test(value),
  );

/** Reads `ipconfigN` (`ip=…,gw=…,ip6=…,gw6=…`). Unknown keys are ignored; null when nothing is configured. */
export function parseIpConfig(text: unknown): GuestNic['ip_config'] {
  if (typeof text !== 'string' || text.length > 512) return null;
  const config: NonNullable<GuestNic['ip_config']> = {};
  for (const part of text.split(',')) {
    const [key, value] = part.split('=', 2);
    if (value && (key === 'ip' || key === 'gw' || key === 'ip6' || key === 'gw6')) config[key] = value;
  }
  return Object.keys(config).length > 0 ? config : null;
}

const NIC_KEY = /^net(\d|[12]\d|3[01])$/;
const nicNumber = (key: string) => Number(key.slice(3));

const Config = z.looseObject({
  digest: z.string().max(200),
  name: textField().optional(),
  hostname: textField().optional(),
});
const anything = z.unknown().optional();
const PendingItem = z.object({ key: z.string().max(100), value: anything, pending: anything, delete: anything });

/** Names of cards whose stored value will be another one after the next start. */
function pendingNics(data: unknown): { names: Set<string>; problem: string | null } {
  const { items, problem } = parseList('pending options', PendingItem, data, 5000);
  const changed = items.filter(
    (item) =>
      NIC_KEY.test(item.key) && (Boolean(item.delete) || (item.pending !== undefined && item.pending !== item.value)),
  );
  return { names: new Set(changed.map(({ key }) => key)), problem };
}

/** The cards of a configuration, and those that could not be understood. */
export function readNics({ kind }: GuestRef, config: Record<string, unknown>, pending: ReadonlySet<string>) {
  const nics: GuestNic[] = [];
  const unreadable: GuestConfig['unreadable'] = [];
  const keys = Object.keys(config).filter((key) => NIC_KEY.test(key));
  const cloudInit = kind === 'qemu' && hasCloudInitDrive(config);
  for (const name of keys.sort((a, b) => nicNumber(a) - nicNumber(b))) {
    const value = config[name];
    const nic =
      typeof value === 'string' ? toGuestNic(name, kind, value, pending.has(name)) : { reason: 'is not text' };
    if ('reason' in nic) unreadable.push({ name, reason: nic.reason });
    else nics.push(cloudInit ? { ...nic, ip_config: parseIpConfig(config[`ipconfig${nicNumber(name)}`]) } : nic);
  }
  return { nics, unreadable };
}

async function readAt(context: InventoryContext, guest: GuestRef): Promise<GuestConfig> {
  const { node, kind, vmid } = guest;
  const [config, pending] = await Promise.all([
    context.client.get(apiPath`/nodes/${node}/${kind}/${vmid}/config`, { node, params: { current: true } }),
    context.client.get(apiPath`/nodes/${node}/${kind}/${vmid}/pending`, { node }),
  ]);
  const live = parseObject(`the configuration of workload ${vmid}`, Config, config.data);
  const changes = pendingNics(pending.data);
  context.report(changes.problem);
  const { nics, unreadable } = readNics(guest, live, changes.names);
  return {
    node,
    digest: live.digest,
    name: (kind === 'qemu' ? live.name : live.hostname) ?? null,
    creation_fingerprint: creationFingerprint(kind, live, nics[0]?.mac ?? null),
    nics,
    unreadable,
  };
}

/** Failures that a guest leaves behind when it goes to another node: moved, or restarted after its node died. */
const MOVED: readonly string[] = ['not_found', 'node_unreachable', 'circuit_open', 'timeout'];

/**
 * Reads something of a guest at its node. A guest that is no longer there is looked for once in the whole cluster.
 * @throws ProviderError `not_found` when it is nowhere to be seen.
 */
export async function withGuestRelocation<T>(
  context: InventoryContext,
  guest: GuestRef,
  read: (guest: GuestRef) => Promise<T>,
): Promise<T> {
  try {
    return await read(guest);
  } catch (error) {
    if (!(error instanceof ProviderError) || !MOVED.includes(error.code)) throw error;
    const { items } = await context.resources.fresh();
    const found = items.find(({ vmid, type }) => vmid === guest.vmid && type === guest.kind);
    if (!found || found.node === guest.node) throw error;
    return read({ ...guest, node: found.node });
  }
}

/** The live configuration of a guest, wherever it is by now. @throws ProviderError */
export function readGuestConfig(context: InventoryContext, guest: GuestRef): Promise<GuestConfig> {
  return withGuestRelocation(context, guest, (found) => readAt(context, found));
}
