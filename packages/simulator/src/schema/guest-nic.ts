import { formats } from './formats';
import type { ParamSpec, ParamSpecs } from './param-spec';
import {
  type PropertyStringSpec,
  type PropertyValues,
  parsePropertyString,
  printPropertyString,
} from './property-string';

export const QEMU_NIC_MODELS = [
  'e1000',
  'e1000-82540em',
  'e1000-82544gc',
  'e1000-82545em',
  'e1000e',
  'i82551',
  'i82557b',
  'i82559er',
  'ne2k_isa',
  'ne2k_pci',
  'pcnet',
  'rtl8139',
  'virtio',
  'vmxnet3',
] as const;

/** The firewall service on nftables stops all updates of a node when it meets a NIC model outside this list. */
export const NFTABLES_NIC_MODELS: readonly string[] = ['e1000', 'rtl8139', 'virtio', 'vmxnet3'];

const tag = { type: 'integer', optional: true, minimum: 1, maximum: 4094 } as const;
const flag = { type: 'boolean', optional: true } as const;

/** Grammar of `netN` of a virtual machine. */
export const QEMU_NIC: PropertyStringSpec = {
  keyAliases: { names: QEMU_NIC_MODELS, keyProperty: 'model', valueProperty: 'macaddr' },
  properties: {
    model: { type: 'string', enum: QEMU_NIC_MODELS, defaultKey: true },
    macaddr: { type: 'string', optional: true, format: formats.mac },
    bridge: { type: 'string', optional: true, format: formats.bridge },
    firewall: flag,
    'host-tunnel': flag,
    link_down: flag,
    mtu: { type: 'integer', optional: true, minimum: 1, maximum: 65520 },
    queues: { type: 'integer', optional: true, minimum: 0, maximum: 64 },
    rate: { type: 'number', optional: true, minimum: 0 },
    tag,
    trunks: { type: 'string', optional: true, pattern: /^\d+(?:-\d+)?(?:;\d+(?:-\d+)?)*$/ },
  },
};

/** Grammar of `netN` of a container. */
export const LXC_NIC: PropertyStringSpec = {
  properties: {
    name: { type: 'string', pattern: /^[-_.\w\d]+$/ },
    bridge: { type: 'string', optional: true, pattern: /^[-_.\w\d]+$/ },
    firewall: flag,
    gw: { type: 'string', optional: true, format: formats.ipv4 },
    gw6: { type: 'string', optional: true, format: formats.ipv6 },
    'host-managed': flag,
    hwaddr: { type: 'string', optional: true, format: formats.mac },
    ip: { type: 'string', optional: true, format: formats.ipv4Config },
    ip6: { type: 'string', optional: true, format: formats.ipv6Config },
    link_down: flag,
    mtu: { type: 'integer', optional: true, minimum: 64, maximum: 65535 },
    rate: { type: 'number', optional: true },
    tag,
    trunks: { type: 'string', optional: true, pattern: /^\d+(?:;\d+)*$/ },
    type: { type: 'string', optional: true, enum: ['veth'] },
  },
};

export type GuestType = 'qemu' | 'lxc';

const getNicSpec = (type: GuestType) => (type === 'qemu' ? QEMU_NIC : LXC_NIC);

/** NIC options by key, or undefined when the stored text cannot be parsed. */
export function parseNic(type: GuestType, text: string): PropertyValues | undefined {
  const parsed = parsePropertyString(getNicSpec(type), text);
  return 'values' in parsed ? parsed.values : undefined;
}

export const printNic = (type: GuestType, values: PropertyValues): string =>
  printPropertyString(getNicSpec(type), values);

/** MAC address of parsed NIC options, as stored (case kept). */
export const nicMac = (type: GuestType, nic: PropertyValues): string | undefined =>
  nic[type === 'qemu' ? 'macaddr' : 'hwaddr'];

/** Format check for a `netN` parameter. */
export const nicFormat =
  (type: GuestType, index: number) =>
  (value: string): string | undefined => {
    const parsed = parsePropertyString(getNicSpec(type), value);
    return 'error' in parsed ? parsed.error.replace(/^([a-z]\S*: )/gm, `net${index}.$1`) : undefined;
  };

/** Spells out `net[n]` as `net0`, `net1`, … and makes every option optional, as in an update call. */
export function numberedOptions(type: GuestType, plain: ParamSpecs, numbered: Record<string, number>): ParamSpecs {
  const specs: ParamSpecs = {};
  for (const [name, spec] of Object.entries(plain)) specs[name] = { ...spec, optional: true };
  for (const [name, count] of Object.entries(numbered)) {
    for (let index = 0; index < count; index++) {
      const spec: ParamSpec = { type: 'string', optional: true };
      if (name === 'net') spec.format = nicFormat(type, index);
      specs[`${name}${index}`] = spec;
    }
  }
  return specs;
}
