'use client';
import { IPAM_SOURCES, SUBNET_SORTS } from '@/domain/choices';
import { formatCidr, parseCidr, toNetwork } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { normalizeMac } from '@/domain/net/mac-address';
import { msg } from '@/lib/i18n/translator';
import { IPAM_SOURCE_LABELS } from '../shared/inventory-states';
import { CLUSTER, choice, choiceIn, typed } from '../shared/list/filters';
import { useListState } from '../shared/list-state';

export const PREFIX_FILTERS = {
  cluster_id: CLUSTER,
  family: choiceIn(msg('Address family'), ['4', '6'], (_, family) => `IPv${family}`),
  source: choice(msg('Data source'), IPAM_SOURCES, (one) => IPAM_SOURCE_LABELS[one]),
};
const STATE = {
  sorts: SUBNET_SORTS,
  defaultSort: 'cidr',
  filters: { cluster_id: 'id', family: PREFIX_FILTERS.family.spec, source: IPAM_SOURCES },
} as const;

/** Search and filters of the prefixes, in the URL. */
export const usePrefixState = () => useListState(STATE);

export type PrefixListState = ReturnType<typeof usePrefixState>;

/**
 * What a text in the search of prefixes asks for: the prefixes around an address, those inside a network, or those with the
 * text in their name. Host bits of a network are ignored, as people paste `10.0.0.5/24`.
 */
export function subnetQuery(text: string): { contains: string } | { within: string } | { q: string } | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const ip = parseIp(trimmed);
  if (ip) return { contains: formatIp(ip) };
  const cidr = trimmed.includes('/') ? parseCidr(trimmed) : null;
  return cidr ? { within: formatCidr(toNetwork(cidr)) } : { q: trimmed.slice(0, 200) };
}

/** Longest text of an IPv6 prefix. */
const MAX_CIDR = 64;
const MAX_MAC = 17;

/** Addresses within a prefix. */
export const WITHIN_FILTER = typed(msg('Within'), (t) => ({
  placeholder: '10.0.0.0/24',
  maxLength: MAX_CIDR,
  check: (text) => (parseCidr(text) ? null : t('Enter a prefix such as 10.0.0.0/24.')),
}));

/** Addresses of one interface. */
export const MAC_FILTER = typed(msg('MAC'), (t) => ({
  placeholder: 'BC:24:11:00:00:01',
  maxLength: MAX_MAC,
  check: (text) => (normalizeMac(text) ? null : t('Enter a MAC address such as BC:24:11:00:00:01.')),
  format: (text) => normalizeMac(text) ?? text,
}));
