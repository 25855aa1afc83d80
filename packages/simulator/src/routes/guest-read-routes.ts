import { mergedConfig } from '../config/guest-config';
import { PveError } from '../pve-error';
import { common, formats } from '../schema/formats';
import type { GuestType } from '../schema/guest-nic';
import { LXC_OPTIONS } from '../schema/lxc-options';
import { QEMU_OPTIONS } from '../schema/qemu-options';
import type { Guest } from '../state/guest';
import { guestStatus } from './guest-status';
import { type Call, mayAccess, numberParam, type Permission, type Route } from './route';

export const VM_AUDIT: Permission = { path: '/vms/{vmid}', anyOf: ['VM.Audit'] };

export const loadGuest = (call: Call, type: GuestType): Guest =>
  call.cluster.loadGuest(type, numberParam(call, 'vmid'), call.node.name);

/** Integers and booleans are JSON numbers, everything else a string. */
function typedValue(type: GuestType, name: string, value: string): string | number {
  const spec = (type === 'qemu' ? QEMU_OPTIONS : LXC_OPTIONS)[name];
  if (name === 'cipassword') return '**********';
  const numeric = spec?.type === 'integer' || spec?.type === 'boolean' || name === 'template' || name === 'snaptime';
  return numeric && /^-?\d+$/.test(value) ? Number(value) : value;
}

function readConfig(call: Call, type: GuestType): unknown {
  const guest = loadGuest(call, type);
  const { snapshot, current } = call.params;
  let values = current === '1' ? guest.config.current : mergedConfig(guest.config);
  if (snapshot !== undefined && snapshot !== '') {
    const stored = guest.config.snapshots.get(snapshot);
    if (!stored) throw new PveError(500, `snapshot '${snapshot}' does not exist`);
    values = stored;
  }
  const answer: Record<string, unknown> = { digest: guest.digest };
  for (const [name, value] of values) answer[name] = typedValue(type, name, value);
  if (guest.config.raw.length > 0) answer.lxc = guest.config.raw;
  return answer;
}

function readPending(call: Call, type: GuestType): unknown {
  const guest = loadGuest(call, type);
  const { current, pending, pendingDelete } = guest.config;
  const names = [...new Set([...current.keys(), ...pending.keys(), ...pendingDelete.keys()])].sort();
  const list = names.map((name) => {
    const value = current.get(name);
    const next = pending.get(name);
    const removed = pendingDelete.get(name);
    return {
      key: name,
      ...(value !== undefined && { value: typedValue(type, name, value) }),
      ...(next !== undefined && next !== value && { pending: typedValue(type, name, next) }),
      ...(removed !== undefined && { delete: removed }),
    };
  });
  return [...list, { key: 'digest', value: guest.digest }];
}

const listGuests = (call: Call, type: GuestType): unknown =>
  call.cluster
    .guestsOn(call.node.name)
    .filter((guest) => guest.type === type && mayAccess(call, `/vms/${guest.vmid}`, ['VM.Audit']))
    .map((guest) => guestStatus(call, guest, 'list'));

const address = { node: common.node, vmid: common.vmid };

const buildRoutes = (type: GuestType): Route[] => [
  {
    method: 'GET',
    pattern: `/nodes/{node}/${type}`,
    params: type === 'qemu' ? { node: common.node, full: common.flag } : { node: common.node },
    proxied: true,
    handledBy: 'pvedaemon',
    handle: (call) => listGuests(call, type),
  },
  {
    method: 'GET',
    pattern: `/nodes/{node}/${type}/{vmid}/config`,
    params: {
      ...address,
      current: common.flag,
      snapshot: { type: 'string', optional: true, maxLength: 40, format: formats.configId },
    },
    permission: VM_AUDIT,
    proxied: true,
    handledBy: 'pveproxy',
    handle: (call) => readConfig(call, type),
  },
  {
    method: 'GET',
    pattern: `/nodes/{node}/${type}/{vmid}/pending`,
    params: address,
    permission: VM_AUDIT,
    proxied: true,
    handledBy: 'pveproxy',
    handle: (call) => readPending(call, type),
  },
  {
    method: 'GET',
    pattern: `/nodes/{node}/${type}/{vmid}/status/current`,
    params: address,
    permission: VM_AUDIT,
    proxied: true,
    handledBy: 'pvedaemon',
    handle: (call) => guestStatus(call, loadGuest(call, type), 'current'),
  },
];

export const guestReadRoutes: Route[] = [...buildRoutes('qemu'), ...buildRoutes('lxc')];
