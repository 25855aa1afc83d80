import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * Stable id of this installation, 32 hexadecimal digits: derived from /etc/machine-id, which must not leave the machine
 * itself (machine-id(5)).
 * @throws Error that names the remedy
 */
export function machineId(file = '/etc/machine-id'): string {
  let id: string;
  try {
    id = readFileSync(file, 'latin1').trim();
  } catch (cause) {
    throw new Error(`cannot read ${file}: run systemd-machine-id-setup`, { cause });
  }
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Error(`${file} contains no machine ID: run systemd-machine-id-setup`);
  return createHmac('sha256', id).update('fabric-agent').digest('hex').slice(0, 32);
}

/** Id of the kernel's present boot; null when it cannot be read. */
export function kernelBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return null;
  }
}
