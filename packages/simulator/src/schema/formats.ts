import { isIPv4, isIPv6 } from 'node:net';
import type { ParamSpec } from './param-spec';

type Format = (value: string) => string | undefined;

const matching =
  (regex: RegExp, text: (value: string) => string): Format =>
  (value) =>
    regex.test(value) ? undefined : text(value);

/** PVE's IPv4 form: four decimal numbers without leading zeros. */
export const isStrictIpv4 = (value: string): boolean => isIPv4(value);
/** RFC 4291 text form without a zone id. */
export const isStrictIpv6 = (value: string): boolean => isIPv6(value) && !value.includes('%');

const isCidr = (value: string, minimum4: number, minimum6: number): boolean => {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(value);
  const [, address = '', prefix = ''] = match ?? [];
  const bits = Number(prefix);
  if (isStrictIpv4(address)) return bits >= minimum4 && bits <= 32;
  return isStrictIpv6(address) && bits >= minimum6 && bits <= 128;
};

/** An address, or an address with a prefix length; host bits may be set. */
export const isIpOrCidr = (value: string): boolean => isStrictIpv4(value) || isStrictIpv6(value) || isCidr(value, 0, 0);

export const ALIAS_REFERENCE = /^(dc\/|guest\/)?[A-Za-z][A-Za-z0-9\-_]+$/;

const list =
  (format: Format): Format =>
  (value) =>
    value
      .split(/[,;\s\0]+/)
      .filter((element) => element !== '')
      .map(format)
      .find((error) => error !== undefined);

const configId = matching(/^[a-z][a-z0-9_-]+$/i, (value) => `invalid configuration ID '${value}'`);
const dnsName = matching(
  /^(([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)\.)*([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)$/,
  () => 'value does not look like a valid DNS name',
);
const ip: Format = (value) =>
  isStrictIpv4(value) || isStrictIpv6(value) ? undefined : 'value does not look like a valid IP address';

export const formats = {
  node: matching(
    /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/,
    (value) => `value does not look like a valid node name '${value}'`,
  ),
  vmid: matching(/^[1-9][0-9]{2,8}$/, () => 'value does not look like a valid VM ID'),
  configId,
  configIdList: list(configId),
  iface: matching(/^[a-z][a-z0-9_]{1,20}([:.]\d+)?$/i, (value) => `invalid network interface name '${value}'`),
  mac: matching(
    /^[a-f0-9][02468ace](?::[a-f0-9]{2}){5}$/i,
    () => 'value does not look like a valid unicast MAC address',
  ),
  bridge: matching(/^[-_.\w\d]+$/, () => 'invalid bridge id'),
  vnet: matching(/^[a-zA-Z][a-zA-Z0-9]*[a-zA-Z0-9]$/, (value) => `SDN VNet ID '${value}' contains illegal characters`),
  dnsName,
  ip,
  ipv4: ((value) => (isStrictIpv4(value) ? undefined : 'value does not look like a valid IPv4 address')) as Format,
  ipv6: ((value) => (isStrictIpv6(value) ? undefined : 'value does not look like a valid IPv6 address')) as Format,
  ipv4Config: ((value) =>
    value === 'dhcp' || value === 'manual' || (isCidr(value, 8, 129) && value.includes('.'))
      ? undefined
      : 'value does not look like a valid ipv4 network configuration') as Format,
  ipv6Config: ((value) =>
    value === 'auto' || value === 'dhcp' || value === 'manual' || (isCidr(value, 33, 8) && value.includes(':'))
      ? undefined
      : 'value does not look like a valid ipv6 network configuration') as Format,
  ipOrCidr: ((value) =>
    isIpOrCidr(value) ? undefined : 'value does not look like a valid IP address or CIDR network') as Format,
  ipOrCidrOrAlias: ((value) =>
    isIpOrCidr(value) || ALIAS_REFERENCE.test(value)
      ? undefined
      : 'value does not look like a valid IP address or CIDR network') as Format,
  addressList: list((value) =>
    ip(value) === undefined || dnsName(value) === undefined ? undefined : `invalid address '${value}'`,
  ),
  tagList: list(matching(/^[a-z0-9_][a-z0-9_\-+.]*$/i, (value) => `invalid characters in tag '${value}'`)),
  urlencoded: matching(/^[-%a-zA-Z0-9_.!~*'()]*$/, () => 'value is not urlencoded'),
  hotplug: ((value) => {
    if (value === '0' || value === '1') return undefined;
    const known = ['network', 'disk', 'cpu', 'memory', 'usb', 'cloudinit'];
    const wrong = value.split(/[,;\s]+/).find((feature) => !known.includes(feature));
    return wrong === undefined ? undefined : `unknown hotplug feature '${wrong}'`;
  }) as Format,
} satisfies Record<string, Format>;

/** Parameter declarations used by many endpoints. */
export const common = {
  node: { type: 'string', format: formats.node },
  vmid: { type: 'integer', format: formats.vmid, minimum: 100, maximum: 999_999_999 },
  flag: { type: 'boolean', optional: true },
  text: { type: 'string', optional: true },
  digest: { type: 'string', optional: true, maxLength: 64 },
  position: { type: 'integer', minimum: 0 },
  deleteList: { type: 'string', optional: true, format: formats.configIdList },
} satisfies Record<string, ParamSpec>;
