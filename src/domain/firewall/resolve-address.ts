import { type AddressSet, addressSet, parseSpan, prefixEntries, UNKNOWN_ADDRESSES } from './address-set';
import type { FilterImplementation, LiveObjects, LiveSetEntry } from './live-state';

const ALIAS = /^(dc\/|guest\/)?([A-Za-z][A-Za-z0-9_-]+)$/;
const SET = /^\+(dc\/|guest\/|sdn\/)?([A-Za-z][A-Za-z0-9_-]+)$/;

/** Where a reference may be looked up. Rules of a security group see the cluster's objects only. */
export type Scopes = {
  readonly cluster: LiveObjects;
  readonly guest: LiveObjects | null;
  /** Decides what a set with exceptions means; absent: `iptables`. */
  readonly implementation?: FilterImplementation;
};

const NO_ADDRESSES: AddressSet = { 4: [], 6: [], rest: 'no' };

type Found<T> = { readonly value: T } | 'absent' | 'unknown';

/** The guest's own object hides the cluster's of the same name. What could not be read is unknown, never absent. */
function lookUp<T>(scopes: Scopes, prefix: string | undefined, find: (objects: LiveObjects) => Found<T>): Found<T> {
  if (prefix !== 'dc/') {
    const own = scopes.guest ? find(scopes.guest) : 'absent';
    if (own !== 'absent' || prefix === 'guest/') return own;
  }
  return find(scopes.cluster);
}

function findAlias(scopes: Scopes, reference: string): Found<string> {
  const [, prefix, name = ''] = ALIAS.exec(reference) ?? [];
  const key = name.toLowerCase();
  return lookUp(scopes, prefix, ({ aliases }) => {
    if (!aliases) return 'unknown';
    const value = Object.hasOwn(aliases, key)
      ? aliases[key]
      : Object.entries(aliases).find(([alias]) => alias.toLowerCase() === key)?.[1];
    return value === undefined ? 'absent' : { value };
  });
}

/** The address or network of an alias; null when there is no such alias, or none was read. */
export function aliasValue(reference: string, scopes: Scopes): string | null {
  if (!ALIAS.test(reference)) return null;
  const alias = findAlias(scopes, reference);
  return typeof alias === 'object' ? alias.value : null;
}

/** Whether an alias is certainly absent: every place where it would be looked up could be read. */
export const isAliasAbsent = (reference: string, scopes: Scopes): boolean =>
  ALIAS.test(reference) && findAlias(scopes, reference) === 'absent';

/**
 * Addresses of a set by its entries; those with errors are left out, as the hypervisor does.
 * @param rest `unknown` when the hypervisor adds entries of its own that are not known here
 */
export function setAddresses(
  entries: readonly LiveSetEntry[],
  scopes: Scopes,
  rest: 'no' | 'unknown' = 'no',
): AddressSet {
  const valid = entries.filter((entry) => entry.errors === undefined);
  return prefixEntries(
    valid.map((entry) => ({ cidr: aliasValue(entry.cidr, scopes) ?? entry.cidr, nomatch: Boolean(entry.nomatch) })),
    rest,
    scopes.implementation,
  );
}

/** A reference with a scope that has no such object: the hypervisor leaves out the rule, and the API, which ignores the scope, may not say so. */
const isGone = (found: unknown, prefix: string | undefined): boolean =>
  found === 'absent' && (prefix === 'dc/' || prefix === 'guest/');

function resolveSet(text: string, scopes: Scopes): AddressSet {
  const [, prefix, name] = SET.exec(text) ?? [];
  // Sets of the software-defined network are made by the hypervisor from state that is not read here.
  if (name === undefined || prefix === 'sdn/') return UNKNOWN_ADDRESSES;
  let inGuest = false;
  const found = lookUp<readonly LiveSetEntry[]>(scopes, prefix, (objects) => {
    if (!objects.ipsets) return 'unknown';
    const value = Object.hasOwn(objects.ipsets, name) ? objects.ipsets[name] : undefined;
    inGuest = value !== undefined && objects === scopes.guest;
    return value === undefined ? 'absent' : { value };
  });
  // The hypervisor puts the network of the node itself into this set.
  const rest = name === 'management' && !inGuest ? 'unknown' : 'no';
  if (typeof found !== 'object') return isGone(found, prefix) ? NO_ADDRESSES : UNKNOWN_ADDRESSES;
  return setAddresses(found.value, inGuest ? scopes : { ...scopes, guest: null }, rest);
}

function resolve(text: string, scopes: Scopes): AddressSet {
  if (text.startsWith('+')) return resolveSet(text, scopes);
  if (ALIAS.test(text)) {
    const alias = findAlias(scopes, text);
    if (isGone(alias, ALIAS.exec(text)?.[1])) return NO_ADDRESSES;
    const span = typeof alias === 'object' ? parseSpan(alias.value) : null;
    return span ? addressSet([span], 'no') : UNKNOWN_ADDRESSES;
  }
  const spans = text.split(',').map(parseSpan);
  const known = spans.filter((span) => span !== null);
  return known.length === spans.length ? addressSet(known, 'no') : UNKNOWN_ADDRESSES;
}

/** Rules often name the same addresses, and reading these takes longer than everything else about a rule. */
const resolved = new WeakMap<object, Map<string, AddressSet>>();

/**
 * The addresses that `source` or `dest` of a live rule resolves to: a set, an alias, a range, or a list of addresses
 * and networks. What cannot be parsed or found is unknown: the API marks rules that are really broken with `errors`.
 * @param scopes nothing in it changes afterwards
 */
export function resolveAddress(text: string, scopes: Scopes): AddressSet {
  // Addresses that are written in the rule itself are the same for all guests.
  const readIn = text.startsWith('+') || ALIAS.test(text) ? scopes : scopes.cluster;
  const known = resolved.get(readIn) ?? new Map<string, AddressSet>();
  resolved.set(readIn, known);
  const found = known.get(text) ?? resolve(text, scopes);
  known.set(text, found);
  return found;
}
