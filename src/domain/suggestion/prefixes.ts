import { type Cidr, cidrContains, formatCidr, parseCidr, toNetwork } from '../net/cidr';
import { addressBits, formatIp, type IpAddress, parseIp } from '../net/ip-address';

/** How addresses that belong to no workload are written: as they are, as networks when several of one are seen, or all of them. */
export const ADDRESS_WIDTHS = ['addresses', 'networks', 'wide', 'anywhere'] as const;
export type AddressWidth = (typeof ADDRESS_WIDTHS)[number];

/** Prefix lengths that addresses are joined to, and how many of the narrower kind it takes. */
const STEPS: Record<Exclude<AddressWidth, 'anywhere'>, readonly { 4: number; 6: number; least: number }[]> = {
  addresses: [],
  networks: [{ 4: 24, 6: 64, least: 3 }],
  wide: [
    { 4: 24, 6: 48, least: 1 },
    { 4: 16, 6: 32, least: 2 },
  ],
};

const formatKey = ({ address, prefix }: Cidr) => `${address.family} ${address.value}/${prefix}`;

/** Joins networks to those of one step, where enough of them are in one. */
function join(networks: readonly Cidr[], step: { 4: number; 6: number; least: number }): Cidr[] {
  const byNetwork = new Map<string, { readonly wide: Cidr; readonly parts: Cidr[] }>();
  for (const part of networks) {
    const prefix = Math.min(part.prefix, step[part.address.family]);
    const wide = toNetwork({ address: part.address, prefix });
    const known = byNetwork.get(formatKey(wide));
    if (known) known.parts.push(part);
    else byNetwork.set(formatKey(wide), { wide, parts: [part] });
  }
  return [...byNetwork.values()].flatMap(({ wide, parts }) => (parts.length >= step.least ? [wide] : parts));
}

const format = ({ address, prefix }: Cidr) =>
  prefix === addressBits(address.family) ? formatIp(address) : formatCidr({ address, prefix });

const compare = (a: Cidr, b: Cidr) =>
  a.address.family - b.address.family ||
  (a.address.value < b.address.value ? -1 : a.address.value > b.address.value ? 1 : a.prefix - b.prefix);

/** The networks that addresses are written as. Every address is in one of them. `anywhere` is `any`. */
export function joinAddresses(addresses: readonly string[], width: AddressWidth): string[] {
  if (width === 'anywhere') return addresses.length === 0 ? [] : ['any'];
  const single = [...new Set(addresses)].flatMap((text) => {
    const address = parseIp(text);
    return address ? [{ address, prefix: addressBits(address.family) }] : [];
  });
  const networks = STEPS[width].reduce((found, step) => join(found, step), single as Cidr[]);
  return [...networks].sort(compare).map(format);
}

/** Whether an address is in one of the networks. */
export function createMatcher(networks: readonly string[]): (address: string) => boolean {
  if (networks.includes('any')) return () => true;
  const parsed = networks.flatMap((text) => parseCidr(text) ?? []);
  const single = new Set(parsed.filter((one) => one.prefix === addressBits(one.address.family)).map(format));
  const wide = parsed.filter((one) => one.prefix < addressBits(one.address.family));
  return (text) => {
    if (single.has(text)) return true;
    const ip = wide.length > 0 ? parseIp(text) : null;
    return ip !== null && wide.some((cidr) => cidrContains(cidr, ip));
  };
}

/** What an address counts as for tightness: its /24, or /48. */
const UNIT = { 4: 24, 6: 48 } as const;

/** How many /24 (IPv6: /48) some networks touch. Null: everywhere, which is a choice and not measured. */
export function countUnits(networks: readonly string[]): number | null {
  if (networks.includes('any')) return null;
  const narrow = new Set<string>();
  let wide = 0;
  for (const { address, prefix } of networks.flatMap((text) => parseCidr(text) ?? [])) {
    const unit = UNIT[address.family];
    if (prefix < unit) wide += 2 ** (unit - prefix);
    else narrow.add(formatCidr(toNetwork({ address, prefix: unit })));
  }
  return wide + narrow.size;
}

/** The /24 or /48 of an address, as text that is the same for all its addresses. */
export function toUnit(text: string): string {
  const address: IpAddress | null = parseIp(text);
  return address ? formatCidr(toNetwork({ address, prefix: UNIT[address.family] })) : text;
}
