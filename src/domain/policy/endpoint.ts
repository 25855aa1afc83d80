import { formatCidr, parseCidr, toNetwork } from '../net/cidr';
import { formatIp, parseIp } from '../net/ip-address';

/** What a policy's source or target refers to. Nothing here says whether it exists. */
export type Endpoint =
  | { readonly kind: 'any' }
  | { readonly kind: 'security_group'; readonly reference: string }
  | { readonly kind: 'vmid'; readonly vmid: number; readonly cluster: string | null }
  /** By name or id; without a cluster the name must be that of one network only. */
  | { readonly kind: 'network'; readonly name: string; readonly cluster: string | null }
  | { readonly kind: 'tag'; readonly tag: string }
  /** A canonical address or network without host bits. */
  | { readonly kind: 'address'; readonly cidr: string }
  | { readonly kind: 'workload'; readonly name: string };

const MAX_LENGTH = 200;
/** Two names with everything in them escaped. */
const MAX_NETWORK_LENGTH = 520;
const MIN_VMID = 100;
const MAX_VMID = 999_999_999;

function parseVmid(text: string): Endpoint | { error: string } {
  const slash = text.lastIndexOf('/');
  const digits = text.slice(slash + 1);
  const cluster = slash < 0 ? null : text.slice(0, slash);
  const vmid = /^[1-9]\d{2,8}$/.test(digits) ? Number(digits) : 0;
  if (vmid < MIN_VMID || vmid > MAX_VMID || cluster === '') {
    return { error: 'Enter a number from 100 to 999999999, as vmid:105 or vmid:cluster/105.' };
  }
  return { kind: 'vmid', vmid, cluster };
}

/** In `network:cluster/name` a `/` of a name is written `%2F`, and a `%` is written `%25`. */
export const escapeName = (name: string) => name.replaceAll('%', '%25').replaceAll('/', '%2F');
/** Only what `escapeName` makes is an escape; any other `%` is literal. */
export const unescapeName = (text: string) => text.replace(/%(2F|25)/gi, (_, code) => (code === '25' ? '%' : '/'));

function parseNetwork(text: string): Endpoint | { error: string } {
  const parts = text.split('/').map((part) => part.trim());
  const [first = '', second] = parts;
  if (parts.length > 2 || parts.includes('')) {
    return { error: 'Enter a network as network:name or network:cluster/name. Write a / in a name as %2F.' };
  }
  return second === undefined
    ? { kind: 'network', name: unescapeName(first), cluster: null }
    : { kind: 'network', name: unescapeName(second), cluster: unescapeName(first) };
}

/** Canonical text of an address or network; null when it is neither. */
function parseAddress(text: string): string | null {
  const ip = parseIp(text);
  if (ip) return formatIp(ip);
  const cidr = text.includes('/') ? parseCidr(text) : null;
  return cidr && formatCidr(toNetwork(cidr));
}

const EVERYTHING: readonly string[] = ['0.0.0.0/0', '::/0'];

/** Canonical text of an address or prefix that traffic was seen at; null for other text, and for one that covers every address. */
export function observedAddress(text: string): string | null {
  const address = parseAddress(text.trim());
  return address === null || EVERYTHING.includes(address) ? null : address;
}

/**
 * Reads an endpoint: `any`, `sg:name-or-id`, `vmid:n`, `vmid:cluster/n`, `network:name`, `network:cluster/name`,
 * `tag:name`, an address, a network, or a bare workload name. Prefixes are lower case. The error says what to write instead.
 */
export function parseEndpoint(input: string): Endpoint | { error: string } {
  const text = input.trim();
  if (text === '') return { error: 'Enter an endpoint, such as sg:web, vmid:105, network:dmz, 10.0.0.0/24 or any.' };
  const most = text.startsWith('network:') ? MAX_NETWORK_LENGTH : MAX_LENGTH;
  if (text.length > most) return { error: `An endpoint has at most ${most} characters.` };
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return { error: 'An endpoint cannot contain control characters.' };
  if (text === 'any') return { kind: 'any' };
  const address = parseAddress(text);
  if (address) return { kind: 'address', cidr: address };
  const [, prefix, rest = ''] = /^(sg|vmid|network|tag):(.*)$/.exec(text) ?? [];
  if (prefix !== undefined && rest.trim() === '') return { error: `Enter a value after ${prefix}:` };
  if (prefix === 'sg') return { kind: 'security_group', reference: rest.trim() };
  if (prefix === 'vmid') return parseVmid(rest.trim());
  if (prefix === 'network') return parseNetwork(rest.trim());
  if (prefix === 'tag') return { kind: 'tag', tag: rest.trim() };
  // Names of workloads have neither; something that looks like an address but is none must not become a name.
  if (/[/:]/.test(text) || /^[\d.]+$/.test(text)) {
    return {
      error:
        'This is not an address, a prefix such as 10.0.0.0/24, or a known kind of endpoint (sg:, vmid:, network:, tag:).',
    };
  }
  return { kind: 'workload', name: text };
}

/** The canonical text; parsing it gives the same endpoint. */
export function formatEndpoint(endpoint: Endpoint): string {
  switch (endpoint.kind) {
    case 'any':
      return 'any';
    case 'security_group':
      return `sg:${endpoint.reference}`;
    case 'vmid':
      return endpoint.cluster === null ? `vmid:${endpoint.vmid}` : `vmid:${endpoint.cluster}/${endpoint.vmid}`;
    case 'network':
      return endpoint.cluster === null
        ? `network:${escapeName(endpoint.name)}`
        : `network:${escapeName(endpoint.cluster)}/${escapeName(endpoint.name)}`;
    case 'tag':
      return `tag:${endpoint.tag}`;
    case 'address':
      return endpoint.cidr;
    case 'workload':
      return endpoint.name;
  }
}
