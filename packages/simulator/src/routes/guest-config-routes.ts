import { applyOptions, type OptionChanges } from '../config/apply-options';
import { PveError, parameterError, permissionError } from '../pve-error';
import { common, formats } from '../schema/formats';
import { type GuestType, nicMac, parseNic, printNic } from '../schema/guest-nic';
import { LXC_OPTIONS } from '../schema/lxc-options';
import type { ParamSpecs } from '../schema/param-spec';
import { QEMU_OPTIONS } from '../schema/qemu-options';
import type { Guest } from '../state/guest';
import { requiredPrivilege } from './guest-option-privilege';
import { loadGuest } from './guest-read-routes';
import { type Call, mayAccess, type Permission, type Route, requireAccess } from './route';

const CONTROL_PARAMS = [
  'node',
  'vmid',
  'delete',
  'revert',
  'digest',
  'force',
  'skiplock',
  'background_delay',
  'import-working-storage',
];
const isNic = (name: string) => /^net\d+$/.test(name);

/** Options and NIC keys that came with release 9. */
const NOT_IN_8: Record<GuestType, { options: string[]; nicKeys: string[] }> = {
  qemu: { options: ['allow-ksm', 'intel-tdx'], nicKeys: ['host-tunnel'] },
  lxc: { options: ['entrypoint', 'env'], nicKeys: ['host-managed'] },
};

const UNKNOWN = 'property is not defined in schema and the schema does not allow additional properties';

function assertNoNewerOptions(call: Call, type: GuestType): void {
  if (call.cluster.version.major >= 9) return;
  const { options, nicKeys } = NOT_IN_8[type];
  for (const [name, value] of Object.entries(call.params)) {
    if (options.includes(name)) throw parameterError({ [name]: UNKNOWN });
    if (!isNic(name)) continue;
    const key = nicKeys.find((newer) => parseNic(type, value)?.[newer] !== undefined);
    if (key) throw parameterError({ [name]: `invalid format - format error\n${name}.${key}: ${UNKNOWN}\n` });
  }
}

const names = (list: string | undefined): string[] => (list ?? '').split(/[,;\s]+/).filter((part) => part !== '');

/** Rights on the bridge or VNet of a NIC, for the VLAN it uses and every trunked one. */
function requireBridge(call: Call, nic: Record<string, string> | undefined): void {
  if (nic?.bridge === undefined) return;
  const base = `/sdn/zones/${call.cluster.zoneOf(nic.bridge)}/${nic.bridge}`;
  const vlans = [nic.tag, ...(nic.trunks?.split(';').flatMap((range) => range.split('-')) ?? [])];
  const paths = vlans.filter((vlan) => vlan !== undefined).map((vlan) => `${base}/${vlan}`);
  for (const path of paths.length > 0 ? paths : [base]) {
    if (!mayAccess(call, path, ['SDN.Use'])) throw permissionError(path, ['SDN.Use']);
  }
}

function requireOptionRights(call: Call, type: GuestType, guest: Guest, changes: OptionChanges): void {
  const path = `/vms/${guest.vmid}`;
  for (const name of [...changes.set.keys(), ...changes.remove.keys(), ...changes.revert]) {
    const privilege = requiredPrivilege(type, name);
    if (privilege === 'root') throw new PveError(403, `only root can set '${name}' config`);
    requireAccess(call, path, [privilege]);
    if (!isNic(name)) continue;
    requireBridge(call, parseNic(type, guest.config.current.get(name) ?? ''));
    requireBridge(call, parseNic(type, changes.set.get(name) ?? ''));
  }
}

/** Canonical text of a NIC; one without an address gets a new random one, which the guest sees as another NIC. */
function canonicalNic(call: Call, type: GuestType, text: string): string {
  const values = parseNic(type, text) ?? {};
  if (nicMac(type, values) === undefined) {
    const random = call.cluster.random
      .hex(6)
      .toUpperCase()
      .replace(/(..)(..)(..)/, '$1:$2:$3');
    values[type === 'qemu' ? 'macaddr' : 'hwaddr'] = `BC:24:11:${random}`;
  }
  if (type === 'lxc') values.type ??= 'veth';
  return printNic(type, values);
}

function readChanges(call: Call, type: GuestType): OptionChanges {
  assertNoNewerOptions(call, type);
  const { params, caller } = call;
  if (params.skiplock === '1' && caller.subject !== 'root@pam') {
    throw parameterError({ skiplock: 'Only root may use this option.' });
  }
  const options = type === 'qemu' ? QEMU_OPTIONS : LXC_OPTIONS;
  const changes: OptionChanges = { set: new Map(), remove: new Map(), revert: names(params.revert) };
  for (const name of names(params.delete)) changes.remove.set(name, params.force === '1' ? 2 : 1);
  for (const [name, value] of Object.entries(params)) {
    if (CONTROL_PARAMS.includes(name)) continue;
    changes.set.set(name, isNic(name) ? canonicalNic(call, type, value) : value);
  }
  if (changes.set.size + changes.remove.size + changes.revert.length === 0) {
    throw new PveError(500, 'no options specified');
  }
  for (const [list, entries] of [
    ['delete', changes.remove.keys()],
    ['revert', changes.revert],
  ] as const) {
    for (const name of entries) if (!options[name]) throw parameterError({ [list]: `unknown option '${name}'` });
  }
  for (const name of changes.remove.keys()) {
    if (changes.set.has(name)) {
      throw parameterError({ delete: `you can't use '-${name}' and -delete ${name}' at the same time` });
    }
  }
  return changes;
}

/** Everything that is refused before the change itself starts. */
function prepareChanges(call: Call, type: GuestType): OptionChanges {
  const changes = readChanges(call, type);
  requireOptionRights(call, type, loadGuest(call, type), changes);
  return changes;
}

async function updateConfig(call: Call, type: GuestType, changes: OptionChanges): Promise<null> {
  const { cluster, params } = call;
  const lockFile =
    type === 'qemu' ? `/var/lock/qemu-server/lock-${params.vmid}.conf` : `/run/lock/lxc/pve-config-${params.vmid}.lock`;
  return cluster.locks.withFileLock(lockFile, async () => {
    await cluster.clock.sleep(cluster.fileWriteMs);
    const guest = loadGuest(call, type);
    if (params.digest !== undefined && params.digest !== guest.digest) {
      throw new PveError(
        500,
        type === 'qemu'
          ? 'checksum mismatch (file change by other user?)'
          : 'detected modified configuration - file changed by other user? Try again.',
      );
    }
    if (guest.lock !== undefined) throw new PveError(500, `${type === 'qemu' ? 'VM' : 'CT'} is locked (${guest.lock})`);
    if (!cluster.quorate) {
      throw new PveError(500, `unable to open file '/etc/pve/${guest.configPath()}.tmp.1' - Permission denied`);
    }
    const errors = cluster.change(() => applyOptions(type, guest, changes));
    if (Object.keys(errors).length > 0) throw parameterError(errors);
    return null;
  });
}

const privileges = (areas: string[]): Permission => ({
  path: '/vms/{vmid}',
  anyOf: areas.map((area) => `VM.Config.${area}`),
});
const QEMU_WRITE = privileges(['Disk', 'CDROM', 'CPU', 'Memory', 'Network', 'HWType', 'Options', 'Cloudinit']);
const LXC_WRITE = privileges(['Disk', 'CPU', 'Memory', 'Network', 'Options']);

const controls: ParamSpecs = {
  node: common.node,
  vmid: common.vmid,
  delete: { type: 'string', optional: true, format: formats.configIdList },
  revert: { type: 'string', optional: true, format: formats.configIdList },
  digest: { type: 'string', optional: true, maxLength: 40 },
};
const qemuControls: ParamSpecs = {
  ...controls,
  force: { type: 'boolean', optional: true, requires: 'delete' },
  skiplock: common.flag,
};

export const guestConfigRoutes: Route[] = [
  {
    method: 'PUT',
    pattern: '/nodes/{node}/qemu/{vmid}/config',
    params: { ...QEMU_OPTIONS, ...qemuControls },
    permission: QEMU_WRITE,
    proxied: true,
    handledBy: 'pvedaemon',
    handle: (call) => updateConfig(call, 'qemu', prepareChanges(call, 'qemu')),
  },
  {
    method: 'POST',
    pattern: '/nodes/{node}/qemu/{vmid}/config',
    params: {
      ...QEMU_OPTIONS,
      ...qemuControls,
      background_delay: { type: 'integer', optional: true, minimum: 1, maximum: 30 },
      'import-working-storage': common.text,
    },
    permission: QEMU_WRITE,
    proxied: true,
    handledBy: 'pvedaemon',
    handle: async (call) => {
      const { cluster, caller, node, params } = call;
      const changes = prepareChanges(call, 'qemu');
      const work = updateConfig(call, 'qemu', changes).then(() => undefined);
      const task = cluster.tasks.start(node.name, 'qmconfig', params.vmid ?? '', caller, () => work);
      if (params.background_delay === undefined) return task.upid;
      const ended = work.catch(() => undefined);
      await Promise.race([ended, cluster.clock.sleep(Number(params.background_delay) * 1000)]);
      return task.exitstatus === 'OK' ? null : task.upid;
    },
  },
  {
    method: 'PUT',
    pattern: '/nodes/{node}/lxc/{vmid}/config',
    params: { ...LXC_OPTIONS, ...controls },
    permission: LXC_WRITE,
    proxied: true,
    handledBy: 'pvedaemon',
    handle: (call) => updateConfig(call, 'lxc', prepareChanges(call, 'lxc')),
  },
];
