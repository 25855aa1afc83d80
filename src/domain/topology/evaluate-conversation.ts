import { addressCuts, representatives } from '../firewall/address-cuts';
import { isNodeBroadcast } from '../firewall/prepare-node';
import { commonContext, computeFlowContext } from '../flow-context/compute-flow-context';
import type { FlowContext } from '../flow-context/flow-context';
import type { GuestContext } from '../flow-context/guest-context';
import { cidrContains, parseCidr } from '../net/cidr';
import { formatIp, type IpAddress } from '../net/ip-address';
import type { Conversation } from './conversation-table';
import { type EdgeVerdict, type EndEdge, worseVerdict } from './edge-verdict';

/** Who opened a conversation, or who was called. */
export type End = 'source' | 'destination';

/** Pairs of addresses that are tried for one conversation; one with more stays `observed`. */
const MAX_PAIRS = 256;

/** How an edge shows what decides a flow at a guest. */
export function toEdgeVerdict({
  decision,
  verdict,
  decided_by,
}: Pick<FlowContext, 'decision' | 'verdict' | 'decided_by'>): EdgeVerdict {
  switch (decision) {
    case 'drop':
    case 'reject':
    case 'default_drop':
      return 'dropped';
    case 'audit_drop':
    case 'audit_reject':
      return 'would_drop';
    case 'accept':
      return 'accepted';
    case 'default_accept':
      return 'default';
    case 'audit_accept':
      // What is enforced lets it pass, or nothing is enforced.
      return verdict === 'accept' && decided_by.kind !== 'not_enforced' ? 'default' : 'observed';
    case 'observed':
      return 'observed';
  }
}

/** A log line's verdict; null when none decided. */
function loggedVerdict(decision: string): EdgeVerdict | null {
  if (decision === 'drop' || decision === 'reject') return 'dropped';
  return decision === 'accept' ? 'accepted' : null;
}

/** Whether the address is, or may be, the broadcast address of a network of the guest's node. */
export const mayBeBroadcast = (guest: GuestContext, address: IpAddress): boolean =>
  (guest.interfaces ?? []).some(({ live }) =>
    live.filters.some(({ node }) => isNodeBroadcast(address, node.broadcasts) !== false),
  );

/** Where verdicts about packets at a guest may change with one address, over all its interfaces and audited policies. */
function listCuts(guest: GuestContext, at: End, family: 4 | 6, end: End): bigint[] {
  const direction = at === 'source' ? 'out' : 'in';
  const chains = [
    ...(guest.interfaces ?? [guest.assumed('net0')]).map(({ live }) => live),
    ...guest.audit.map(({ chain }) => chain),
  ];
  const cuts = new Set(chains.flatMap((chain) => addressCuts(chain, direction, family, end)));
  return [...cuts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** What becomes of a conversation at a guest, and what decides it. */
export type EndVerdict = { readonly verdict: EdgeVerdict; readonly context: FlowContext };

const TOO_MANY: EndVerdict = {
  verdict: 'observed',
  context: {
    decision: 'observed',
    verdict: 'unknown',
    decided_by: { kind: 'unknown', reason: 'unknown_address', places: [] },
    direction: null,
    audit: [],
    conflict: false,
  },
};

/** What was found out at an end, as far as it matters for the edge. */
export const toEndEdge = ({ verdict, context }: EndVerdict): EndEdge =>
  verdict === 'observed' && context.verdict === 'unknown' ? 'unknown' : verdict;

/**
 * What becomes of a conversation, by what was found out at its ends: the weightier one, unless a log line says it. While it is not known at one
 * of them, nothing is claimed that the other one lets pass.
 */
export function combineEdges(decision: string, one: EndEdge = 'observed', other: EndEdge = 'observed'): EdgeVerdict {
  const logged = loggedVerdict(decision);
  if (logged) return logged;
  if (one !== 'unknown' && other !== 'unknown') return worseVerdict(one, other);
  const known = one === 'unknown' ? other : one;
  return known === 'dropped' || known === 'would_drop' ? known : 'observed';
}

/**
 * Creates an evaluator of conversations at one of their ends: what happens to their opening packets there under the rules
 * of the guest that were last read. Only the network of an end is known, unless the workload has addresses there: all of
 * these, or the whole network, must be treated alike, else nothing is claimed. Ask about all conversations of a guest one
 * after the other: what is computed about it takes most of the time.
 * @param addressesOf the addresses that a workload has now
 */
export function createEndEvaluator(
  guest: GuestContext,
  addressesOf: (workloadId: string) => readonly IpAddress[],
): (conversation: Conversation, at: End) => EndVerdict {
  const cuts = new Map<string, bigint[]>();
  const parts = new Map<string, readonly string[]>();
  const remembered = <T>(memory: Map<string, T>, key: string, make: () => T): T => {
    let value = memory.get(key);
    if (value === undefined) {
      value = make();
      memory.set(key, value);
    }
    return value;
  };

  /** Addresses that represent an end, as far as the guest distinguishes addresses. */
  const listAddresses = (at: End, end: End, workloadId: string | null, prefix: string) =>
    remembered(parts, `${at} ${end} ${workloadId} ${prefix}`, () => {
      const cidr = parseCidr(prefix);
      if (!cidr) return [];
      const known = workloadId === null ? [] : addressesOf(workloadId).filter((ip) => cidrContains(cidr, ip));
      if (known.length > 0) return known.map(formatIp);
      const { family } = cidr.address;
      const each = representatives(
        cidr,
        remembered(cuts, `${at} ${family} ${end}`, () => listCuts(guest, at, family, end)),
      );
      // No host sends from a broadcast address: that the node drops it is irrelevant to the conversation.
      const hosts = end === 'source' ? each.filter((ip) => !mayBeBroadcast(guest, ip)) : each;
      return (hosts.length > 0 ? hosts : each).map(formatIp);
    });

  return (conversation, at) => {
    const [sources, destinations] = (['source', 'destination'] as const).map((end) =>
      listAddresses(at, end, conversation[`${end}_workload_id`], conversation[`${end}_prefix`]),
    ) as [readonly string[], readonly string[]];
    if (sources.length * destinations.length > MAX_PAIRS) return TOO_MANY;
    let found: EndVerdict | undefined;
    for (const source_ip of sources) {
      for (const destination_ip of destinations) {
        const { protocol, port: destination_port, decision } = conversation;
        const context = computeFlowContext(
          guest,
          { source_ip, destination_ip, protocol, source_port: null, destination_port, decision, initiator: 'source' },
          at,
        );
        const verdict = toEdgeVerdict(context);
        found = {
          verdict: found === undefined || found.verdict === verdict ? verdict : 'observed',
          context: found === undefined ? context : commonContext(found.context, context),
        };
        // Further addresses cannot make it known again.
        if (toEndEdge(found) === 'unknown') return found;
      }
    }
    return found ?? TOO_MANY;
  };
}
