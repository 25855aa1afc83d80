import { type AddressSet, UNKNOWN_ADDRESSES } from './address-set';
import {
  ANYTHING,
  type Conditions,
  icmpConditions,
  isExtensionHeader,
  joinIcmp,
  type Parts,
  withPorts,
} from './compiled-rule';
import { hasPorts, ICMP, ICMPV6, protocolNumber } from './data/protocols';
import { parseLivePorts } from './port-match';
import { resolveAddress, type Scopes } from './resolve-address';

type Protocol = {
  readonly conditions: Conditions /** That the protocol limits the rule to. */;
  readonly family?: 4 | 6;
};

/** What the nftables implementation makes of a protocol; ports count with those that have them, and are ignored elsewhere. */
function compileProtocol({ proto, dport, sport, icmp }: Parts): Protocol {
  if (!proto) return { conditions: ANYTHING };
  const number = protocolNumber(proto);
  if (number === null) return { conditions: { ...ANYTHING, vague: true } };
  if (number === ICMP || number === ICMPV6) {
    const family = number === ICMP ? 4 : 6;
    return { conditions: icmpConditions(number, icmp, family), family };
  }
  if (!hasPorts(number)) return { conditions: withPorts(number, null, null) };
  return { conditions: withPorts(number, parseLivePorts(sport, 'nftables'), parseLivePorts(dport, 'nftables')) };
}

/** The family of a list of addresses or of an alias; a set has both. Undefined: not known. */
function resolveFamily(text: string, set: AddressSet): 4 | 6 | 'both' | undefined {
  if (text.startsWith('+')) return 'both';
  return set[4].length > 0 ? 4 : set[6].length > 0 ? 6 : undefined;
}

/**
 * The addresses of a rule as nftables matches them, or `never`. The first condition on the family (protocol, source,
 * destination, in this order) decides; a list or alias of the other family is then left out, which widens the rule.
 */
function resolveAddresses(
  texts: readonly (string | undefined)[],
  limited: 4 | 6 | undefined,
  family: 4 | 6,
  scopes: Scopes,
): (AddressSet | null)[] | 'never' {
  let decided = limited;
  const found: (AddressSet | null)[] = [];
  for (const text of texts) {
    if (!text) {
      found.push(null);
      continue;
    }
    const set = resolveAddress(text, scopes);
    // What it refers to is gone: the generator leaves out the rule.
    if (set[4].length === 0 && set[6].length === 0 && set.rest === 'no') return 'never';
    const own = resolveFamily(text, set);
    if (own === 4 || own === 6) {
      if (decided === undefined && own !== family) return 'never';
      found.push(own === family ? set : null);
    } else if (own === 'both') {
      if (set[family].length === 0 && set.rest === 'no') return 'never';
      found.push(set);
    } else found.push(UNKNOWN_ADDRESSES);
    decided = family;
  }
  return found;
}

/**
 * The protocol of a part of a macro together with the rule's own. With one of ICMP, only a part of the same family adds a
 * condition.
 */
function compileMacroProtocol(part: Parts, own: Parts): Protocol | null {
  const [added, given] = [compileProtocol(part), compileProtocol(own)];
  if (given.family === undefined) return added;
  if (given.family !== added.family) return added.family === undefined ? null : given;
  const conditions = joinIcmp(given.conditions, added.conditions);
  return conditions && { ...given, conditions };
}

/** One part of a rule for packets of one family; null when it matches none of them. @param own what the rule itself says */
export function compileForNftables(
  part: Parts,
  addresses: { readonly source?: string; readonly dest?: string },
  family: 4 | 6,
  scopes: Scopes,
  own: Parts,
): { source: AddressSet | null; destination: AddressSet | null; conditions: Conditions } | null {
  const protocol = compileMacroProtocol(part, own);
  if (!protocol) return null;
  const { conditions, family: limited } = protocol;
  if (limited !== undefined && limited !== family) return null;
  if (isExtensionHeader(conditions.protocol, family)) return null;
  const found = resolveAddresses([addresses.source, addresses.dest], limited, family, scopes);
  if (found === 'never') return null;
  const [source = null, destination = null] = found;
  return { source, destination, conditions };
}
