import { addressCuts, representatives } from '../firewall/address-cuts';
import { isNodeBroadcast } from '../firewall/prepare-node';
import { commonContext, computeFlowContext } from '../flow-context/compute-flow-context';
import type { FlowContext } from '../flow-context/flow-context';
import type { GuestContext } from '../flow-context/guest-context';
import { type Cidr, cidrContains, parseCidr } from '../net/cidr';
import { formatIp, type IpAddress } from '../net/ip-address';
import { type EdgeVerdict, worstVerdict } from './edge-verdict';
import type { Conversation } from './fold-conversations';

/** What is known about workloads now. */
export type KnownWorkloads = {
  guestOf: (workloadId: string) => GuestContext | null;
  addressesOf: (workloadId: string) => readonly IpAddress[];
};

type End = 'source' | 'destination';

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

/** What becomes of a conversation: the weightier end, and at each end with a guest what decides there, the caller's first. */
export type ConversationVerdict = {
  readonly verdict: EdgeVerdict;
  readonly ends: readonly { readonly workload_id: string; readonly context: FlowContext }[];
};

type EndVerdict = { verdict: EdgeVerdict; context: FlowContext };

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

/**
 * Creates an evaluator of conversations: what happens to their opening packets under the rules that were last read,
 * at both ends. Only the network of an end is known, unless the workload has addresses there: all of these, or the
 * whole network, must be treated alike, else nothing is claimed. The more important end counts. Caches what it
 * computes about guests; create a new one for each map.
 */
export function conversationEvaluator({
  guestOf,
  addressesOf,
}: KnownWorkloads): (conversation: Conversation) => ConversationVerdict {
  const prefixes = new Map<string, Cidr | null>();
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

  /** Addresses that represent an end, as far as the guest at `at` distinguishes addresses. */
  const addressesAt = (guest: GuestContext, at: End, end: End, workloadId: string | null, prefix: string) =>
    remembered(parts, `${guest.workload_id} ${at} ${end} ${workloadId} ${prefix}`, () => {
      const cidr = remembered(prefixes, prefix, () => parseCidr(prefix));
      if (!cidr) return [];
      const known = workloadId === null ? [] : addressesOf(workloadId).filter((ip) => cidrContains(cidr, ip));
      if (known.length > 0) return known.map(formatIp);
      const { family } = cidr.address;
      const key = `${guest.workload_id} ${at} ${family} ${end}`;
      const each = representatives(
        cidr,
        remembered(cuts, key, () => listCuts(guest, at, family, end)),
      );
      // No host sends from a broadcast address: that the node drops it is irrelevant to the conversation.
      const hosts = end === 'source' ? each.filter((ip) => !mayBeBroadcast(guest, ip)) : each;
      return (hosts.length > 0 ? hosts : each).map(formatIp);
    });

  const verdictAt = (conversation: Conversation, at: End): (EndVerdict & { workload_id: string }) | null => {
    const workload_id = conversation[`${at}_workload_id`];
    const guest = workload_id === null ? null : guestOf(workload_id);
    if (!guest || workload_id === null) return null;
    const [sources, destinations] = (['source', 'destination'] as const).map((end) =>
      addressesAt(guest, at, end, conversation[`${end}_workload_id`], conversation[`${end}_prefix`]),
    ) as [readonly string[], readonly string[]];
    if (sources.length * destinations.length > MAX_PAIRS) return { ...TOO_MANY, workload_id };
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
        if (found.verdict === 'observed' && found.context.verdict === 'unknown') return { ...found, workload_id };
      }
    }
    return { ...(found ?? TOO_MANY), workload_id };
  };

  return (conversation) => {
    const ends = (['source', 'destination'] as const).flatMap((at) => verdictAt(conversation, at) ?? []);
    return { verdict: loggedVerdict(conversation.decision) ?? worstVerdict(ends.map(({ verdict }) => verdict)), ends };
  };
}
