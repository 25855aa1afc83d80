import { type GuestType, parseNic } from '../schema/guest-nic';
import type { Guest } from '../state/guest';

/** Options a running guest takes over without a restart and without any device being touched. */
const LIVE_QEMU = new Set([
  'lock',
  'name',
  'onboot',
  'shares',
  'startup',
  'description',
  'protection',
  'vmstatestorage',
  'hookscript',
  'tags',
  'boot',
  'agent',
  'cpuunits',
  'cpulimit',
  'hotplug',
  'autostart',
  'ciuser',
  'cipassword',
  'sshkeys',
  'searchdomain',
  'nameserver',
]);
const LIVE_LXC = new Set([
  'lock',
  'hostname',
  'onboot',
  'startup',
  'description',
  'protection',
  'hookscript',
  'tags',
  'memory',
  'swap',
  'cores',
  'cpulimit',
  'cpuunits',
  'nameserver',
  'searchdomain',
]);

/** Keys of a VM's NIC that can change while the device stays: only the host side is rewired. */
const REPLUG_KEYS = new Set(['bridge', 'tag', 'trunks', 'firewall', 'rate', 'link_down']);

const hotplugsNetwork = (guest: Guest): boolean => {
  const value = guest.config.current.get('hotplug') ?? 'network,disk,usb';
  return value === '1' || value.split(/[,;\s]+/).includes('network');
};

/** What becomes of a changed option of a running guest. */
type Verdict = { kind: 'live' } | { kind: 'later' } | { kind: 'failed'; text: string };

function checkQemuNic(guest: Guest, name: string, next: string | undefined): Verdict {
  const old = parseNic('qemu', guest.config.current.get(name) ?? '');
  const requested = next === undefined ? undefined : parseNic('qemu', next);
  if (old && requested) {
    const keys = new Set([...Object.keys(old), ...Object.keys(requested)]);
    const changed = [...keys].filter((key) => (old[key] ?? '').toLowerCase() !== (requested[key] ?? '').toLowerCase());
    // The bridge decides: without one there is no host side to wire, so the device itself is unplugged.
    if (changed.every((key) => REPLUG_KEYS.has(key)) && old.bridge !== undefined && requested.bridge !== undefined) {
      return { kind: 'live' };
    }
  }
  return hotplugsNetwork(guest) ? { kind: 'live' } : { kind: 'later' };
}

function check(guest: Guest, name: string, next: string | undefined): Verdict {
  const failure = guest.hotplugFailures.get(name);
  if (failure !== undefined) return { kind: 'failed', text: `hotplug problem - ${failure}` };
  if (!guest.isRunning) return { kind: 'live' };
  if (/^net\d+$/.test(name)) return guest.type === 'qemu' ? checkQemuNic(guest, name, next) : { kind: 'live' };
  return (guest.type === 'qemu' ? LIVE_QEMU : LIVE_LXC).has(name) ? { kind: 'live' } : { kind: 'later' };
}

export type OptionChanges = { set: Map<string, string>; remove: Map<string, 1 | 2>; revert: string[] };

/**
 * Stores changes as pending, then makes live what can be made live now. What cannot stays pending.
 * @returns errors per option of failed hot-plugs; a container stops at the first, a VM continues
 */
export function applyOptions(type: GuestType, guest: Guest, changes: OptionChanges): Record<string, string> {
  const errors: Record<string, string> = {};
  guest.editConfig(({ current, pending, pendingDelete }) => {
    for (const name of changes.revert) {
      pending.delete(name);
      pendingDelete.delete(name);
    }
    for (const [name, force] of changes.remove) {
      pending.delete(name);
      if (current.has(name)) pendingDelete.set(name, force);
    }
    for (const [name, value] of changes.set) {
      pendingDelete.delete(name);
      if (current.get(name) === value) pending.delete(name);
      else pending.set(name, value);
    }
  });
  guest.editConfig(({ current, pending, pendingDelete }) => {
    for (const name of pendingDelete.keys()) {
      const verdict = check(guest, name, undefined);
      if (verdict.kind === 'failed') errors[name] = verdict.text;
      if (verdict.kind !== 'live') continue;
      current.delete(name);
      pendingDelete.delete(name);
    }
    for (const [name, value] of pending) {
      if (type === 'lxc' && Object.keys(errors).length > 0) break;
      const verdict = check(guest, name, value);
      if (verdict.kind === 'failed') errors[name] = verdict.text;
      if (verdict.kind !== 'live') continue;
      current.set(name, value);
      pending.delete(name);
    }
    if (type === 'lxc' && Object.keys(errors).length > 0) {
      // A container's failed change is undone as a whole: the old wiring is restored and nothing stays pending.
      for (const name of changes.set.keys()) pending.delete(name);
    }
  });
  return errors;
}
