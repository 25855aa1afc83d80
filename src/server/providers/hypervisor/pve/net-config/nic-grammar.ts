import { isGroupMac, normalizeMac } from '@/domain/net/mac-address';
import type { GuestNic } from '../../types';

/** A value inside a property string that is not what its key allows. `message` names key and value. */
export class PropertyValueError extends Error {}

/** Booleans inside property strings; at top level only 0 and 1 are allowed. */
function parsePropertyBoolean(key: string, value: string): boolean {
  if (/^(1|on|yes|true)$/i.test(value)) return true;
  if (/^(0|off|no|false)$/i.test(value)) return false;
  throw new PropertyValueError(`${key}=${value} is not a boolean`);
}

/** A decimal integer in [min, max]. */
function parsePropertyInteger(key: string, value: string, min: number, max: number): number {
  const number = /^[+-]?\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max))
    throw new PropertyValueError(`${key}=${value} is not a whole number from ${min} to ${max}`);
  return number;
}

/** The value when it has the shape asked for. */
function parsePropertyText(key: string, value: string, shape: RegExp): string {
  if (!shape.test(value)) throw new PropertyValueError(`${key}=${value} has an unknown format`);
  return value;
}

/** What the tokens say; keys that are absent keep the hypervisor's default. */
export type NicFields = Omit<GuestNic, 'name' | 'pending' | 'raw'>;
export type SetField = (fields: NicFields, value: string) => void;

/** Models of a virtual machine's card; each may stand as `model=MAC` in place of `model=…,macaddr=…`. */
export const NIC_MODELS = [
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

function parseMac(key: string, value: string): string {
  const mac = /^..(:..){5}$/.test(value) ? normalizeMac(value) : null;
  if (!mac || isGroupMac(mac)) throw new PropertyValueError(`${key}=${value} is not a MAC address of an interface`);
  return mac;
}

const setIp =
  (key: 'ip' | 'gw' | 'ip6' | 'gw6', shape: RegExp): SetField =>
  (fields, value) => {
    fields.ip_config = { ...fields.ip_config, [key]: parsePropertyText(key, value, shape) };
  };

/** Keys that both kinds of guest share. */
const common: Record<string, SetField> = {
  bridge: (f, v) => {
    f.bridge = parsePropertyText('bridge', v, /^[-_.\w]{1,64}$/);
  },
  firewall: (f, v) => {
    f.firewall = parsePropertyBoolean('firewall', v);
  },
  link_down: (f, v) => {
    f.link_down = parsePropertyBoolean('link_down', v);
  },
  mtu: (f, v) => {
    f.mtu = parsePropertyInteger('mtu', v, 1, 65535);
  },
  rate: (f, v) => {
    f.rate_mbytes = parsePropertyText('rate', v, /^\d{1,12}(\.\d{1,12})?$/);
  },
  tag: (f, v) => {
    f.vlan_tag = parsePropertyInteger('tag', v, 1, 4094);
  },
  trunks: (f, v) => {
    f.trunks = parsePropertyText('trunks', v, /^\d+(-\d+)?(;\d+(-\d+)?)*$/);
  },
};

export const QEMU_FIELDS: Record<string, SetField> = {
  ...common,
  model: (f, v) => {
    if (!NIC_MODELS.some((model) => model === v)) throw new PropertyValueError(`${v} is not a known NIC model`);
    f.model = v;
  },
  macaddr: (f, v) => {
    f.mac = parseMac('macaddr', v);
  },
  queues: (_, v) => {
    parsePropertyInteger('queues', v, 0, 64);
  },
};

export const LXC_FIELDS: Record<string, SetField> = {
  ...common,
  name: (f, v) => {
    f.guest_name = parsePropertyText('name', v, /^[-_.\w]{1,64}$/);
  },
  hwaddr: (f, v) => {
    f.mac = parseMac('hwaddr', v);
  },
  type: (f, v) => {
    f.model = parsePropertyText('type', v, /^veth$/);
  },
  ip: setIp('ip', /^(dhcp|manual|\d[\d.]{6,14}\/\d{1,2})$/),
  gw: setIp('gw', /^\d[\d.]{6,14}$/),
  ip6: setIp('ip6', /^(auto|dhcp|manual|[\da-f:.]{2,45}\/\d{1,3})$/i),
  gw6: setIp('gw6', /^[\da-f:.]{2,45}$/i),
};
