import type { GuestNic } from '../../types';

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
