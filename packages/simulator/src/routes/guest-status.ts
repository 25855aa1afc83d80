import { nicNames } from '../config/guest-config';
import type { Guest } from '../state/guest';
import { guestStatistics } from '../state/guest-statistics';
import type { Call } from './route';

/** Run state and counters straight from the node: one element of a guest list, or the detailed form. */
export function guestStatus(call: Call, guest: Guest, form: 'list' | 'current'): Record<string, unknown> {
  const { cluster } = call;
  const statistics = guestStatistics(guest, cluster.clock.now());
  const { current } = guest.config;
  const isQemu = guest.type === 'qemu';
  const { maxcpu, template, status, ...counters } = statistics;
  const entry: Record<string, unknown> = {
    vmid: guest.vmid,
    ...counters,
    cpus: maxcpu,
    // The process runs even while the virtual CPUs are paused; qmpstatus tells them apart.
    status: guest.isRunning ? 'running' : 'stopped',
  };
  if (isQemu) entry.disk = 0;
  else Object.assign(entry, { type: 'lxc', swap: 0, maxswap: 512 * 1024 ** 2, name: guest.name.replaceAll(' ', '') });
  if (template) entry.template = 1;
  if (guest.lock !== undefined) entry.lock = guest.lock;
  if (current.get('tags')) entry.tags = current.get('tags');
  if (guest.isRunning) entry.pid = 1000 + (guest.vmid % 30_000);
  if (cluster.version.major >= 9) Object.assign(entry, pressure(isQemu));
  if (isQemu && cluster.version.major >= 9 && guest.isRunning) entry.memhost = Math.floor(statistics.mem * 1.02);
  if (form === 'list') return entry;
  entry.ha = guest.haState === undefined ? { managed: 0 } : { managed: 1, state: guest.haState };
  if (isQemu) Object.assign(entry, qemuDetails(guest, status, statistics));
  return entry;
}

/** Strings for containers, numbers for virtual machines. */
const pressure = (isQemu: boolean) =>
  isQemu
    ? {
        pressurecpufull: 0,
        pressurecpusome: 0,
        pressureiofull: 0,
        pressureiosome: 0,
        pressurememoryfull: 0,
        pressurememorysome: 0,
      }
    : {
        pressurecpusome: '0.00',
        pressureiofull: '0.00',
        pressureiosome: '0.00',
        pressurememoryfull: '0.00',
        pressurememorysome: '0.00',
      };

function qemuDetails(guest: Guest, status: string, statistics: { netin: number; netout: number }) {
  const agent = guest.config.current.get('agent') ?? '';
  const nics = nicNames(guest.config.current);
  const share = (value: number) => Math.floor(value / Math.max(nics.length, 1));
  return {
    qmpstatus: status,
    ...(/^(1|on|yes|true|enabled=(1|on|yes|true))(,|$)/i.test(agent) && { agent: 1 }),
    ...(guest.isRunning && {
      nics: Object.fromEntries(
        nics.map((name) => [
          `tap${guest.vmid}i${name.slice(3)}`,
          { netin: share(statistics.netin), netout: share(statistics.netout) },
        ]),
      ),
    }),
  };
}
