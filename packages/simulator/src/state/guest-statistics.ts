import { parsePropertyString } from '../schema/property-string';
import type { Guest } from './guest';

const GIB = 1024 ** 3;

/** What a node reports about one guest at one moment. Field names are those of the API. */
export type GuestStatistics = {
  name: string;
  status: string;
  template: 0 | 1;
  uptime: number;
  cpu: number;
  maxcpu: number;
  mem: number;
  maxmem: number;
  disk: number;
  maxdisk: number;
  diskread: number;
  diskwrite: number;
  netin: number;
  netout: number;
};

const MEMORY = { properties: { current: { type: 'integer', defaultKey: true } } } as const;

/** Configured memory in bytes. */
export function getMemoryBytes(guest: Guest): number {
  const parsed = parsePropertyString(MEMORY, guest.config.current.get('memory') ?? '512');
  return Number('values' in parsed ? parsed.values.current : 512) * 1024 ** 2;
}

/** Virtual CPUs. */
export function getCpuCount(guest: Guest): number {
  const { current } = guest.config;
  const cores = Number(current.get('cores') ?? 1);
  return guest.type === 'qemu' ? cores * Number(current.get('sockets') ?? 1) : cores;
}

/** Size of the boot disk in bytes. */
export function getDiskSize(guest: Guest): number {
  const { current } = guest.config;
  const disk =
    guest.type === 'lxc'
      ? current.get('rootfs')
      : (current.get('scsi0') ?? current.get('virtio0') ?? current.get('sata0'));
  const size = /(?:^|,)size=(\d+)([MGT])/.exec(disk ?? '');
  const unit = { M: 1024 ** 2, G: GIB, T: 1024 * GIB }[size?.[2] as 'M' | 'G' | 'T'] ?? 0;
  return Number(size?.[1] ?? 0) * unit;
}

/** Seconds since the guest was started; 0 when it does not run. */
export const computeUptime = (guest: Guest, now: number): number =>
  guest.isRunning ? Math.max(0, Math.floor((now - guest.startedAt) / 1000)) : 0;

/** Counters grow with the uptime at a rate that belongs to the guest, so that two readings give a plausible speed. */
export function guestStatistics(guest: Guest, now: number): GuestStatistics {
  const uptime = computeUptime(guest, now);
  const rate = ((guest.vmid * 2654435761) >>> 0) % 50_000;
  const maxmem = getMemoryBytes(guest);
  const running = guest.isRunning;
  const load = ((rate + Math.floor(now / 10_000)) % 97) / 400;
  return {
    name: guest.name,
    status: guest.state,
    template: guest.isTemplate ? 1 : 0,
    uptime,
    cpu: running ? Math.round(load * 1e6) / 1e6 : 0,
    maxcpu: getCpuCount(guest),
    mem: running ? Math.floor(maxmem * (0.3 + load)) : 0,
    maxmem,
    disk: guest.type === 'lxc' && running ? Math.floor(getDiskSize(guest) * 0.4) : 0,
    maxdisk: getDiskSize(guest),
    diskread: uptime * rate,
    diskwrite: uptime * (rate >> 1),
    netin: uptime * (rate + 100),
    netout: uptime * ((rate >> 1) + 60),
  };
}
