import type { AddressSpan } from '../firewall/address-set';
import { intersectSpans, joinSpans, type Span, spansHave, subtractSpans } from '../firewall/space/spans';
import { parseIp } from '../net/ip-address';
import { formatPortRange, parsePortList } from '../net/port-range';
import { protocolHasPorts } from '../policy/choices';
import type { SecurityRuleInput } from '../policy/policy';

/** Ends of a side of a policy that conversations were seen of. */
export type SideUse = { readonly workloads: Set<string>; readonly addresses: Set<string> };
/** What was seen of a policy. @property ports destination ports by the position of the rule that allowed them */
export type PolicyUse = {
  readonly ports: Map<number, Set<number>>;
  readonly source: SideUse;
  readonly target: SideUse;
};

export const createPolicyUse = (): PolicyUse => ({
  ports: new Map(),
  source: { workloads: new Set(), addresses: new Set() },
  target: { workloads: new Set(), addresses: new Set() },
});

const ALL: readonly Span<number>[] = [{ first: 1, last: 65535 }];
/** A rule for any port that was used for more than these is meant for any port. */
const MOST_USED = 15;

const toTexts = (spans: readonly Span<number>[]) => spans.map((span) => formatPortRange(span));

/** Ports of a rule that were never used, and those that were; null: it uses all of its ports, has none, or was not used at all. */
export function findUnusedPorts(
  rule: Pick<SecurityRuleInput, 'protocol' | 'destination_ports'>,
  used: ReadonlySet<number> | undefined,
): { readonly unused: string[]; readonly used: string[] } | null {
  if (!used || used.size === 0 || !protocolHasPorts(rule.protocol)) return null;
  const isAny = rule.destination_ports.length === 0;
  const allowed = isAny ? ALL : joinSpans(parsePortList(rule.destination_ports.join(',')) ?? []);
  const seen = intersectSpans(allowed, joinSpans([...used].map((port) => ({ first: port, last: port }))));
  if (seen.length === 0 || (isAny && seen.length > MOST_USED)) return null;
  const unused = subtractSpans(allowed, seen);
  return unused.length === 0 ? null : { unused: toTexts(unused), used: toTexts(seen) };
}

/** An endpoint of a policy: the workloads and addresses that it resolves to. */
export type UsedEndpoint = {
  readonly endpoint: string;
  readonly workloads: readonly { readonly id: string; readonly name: string; readonly addresses: readonly string[] }[];
  readonly spans: { readonly 4: readonly AddressSpan[]; readonly 6: readonly AddressSpan[] };
};

/**
 * Endpoints of one side of a policy that no conversation was seen of, and members of the other endpoints that none was seen of.
 * Nothing is claimed about a side of which nothing was seen.
 */
export function findUnusedEndpoints(
  endpoints: readonly UsedEndpoint[],
  { workloads, addresses }: SideUse,
): { readonly endpoints: string[]; readonly members: string[] } {
  const seen = [...addresses].flatMap((text) => parseIp(text) ?? []);
  const isMemberUsed = (member: UsedEndpoint['workloads'][number]) =>
    workloads.has(member.id) || member.addresses.some((address) => addresses.has(address.split('/')[0] ?? ''));
  const isUsed = (one: UsedEndpoint) =>
    one.workloads.some(isMemberUsed) || seen.some(({ family, value }) => spansHave(one.spans[family], value));
  const used = endpoints.filter(isUsed);
  if (used.length === 0) return { endpoints: [], members: [] };
  return {
    endpoints: endpoints.filter((one) => !used.includes(one)).map(({ endpoint }) => endpoint),
    members: used
      .filter((one) => one.workloads.length > 1)
      .flatMap((one) =>
        one.workloads.filter((member) => !isMemberUsed(member)).map(({ name }) => `${one.endpoint}: ${name}`),
      ),
  };
}
