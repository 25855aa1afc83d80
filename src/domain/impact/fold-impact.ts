import { IMPACT_OUTCOMES } from '../choices';
import type { FlowDecider } from '../flow-context/flow-context';
import { parseCidr } from '../net/cidr';
import { addressBits, formatIp } from '../net/ip-address';
import {
  type End,
  type EndDecision,
  FIELDS,
  type ImpactOutcome,
  type ObservedConversation,
  type Replayed,
} from './replay';

/** One end of collapsed conversations. */
export type FoldedEnd = {
  readonly workload_id: string | null;
  readonly prefix: string;
  readonly addresses: number | null;
  readonly internal: boolean;
};

/** Conversations of one client with one service of one server that have outcome and deciding rules in common. */
export type FoldedConversation = Replayed & {
  readonly client: FoldedEnd;
  readonly server: FoldedEnd;
  readonly protocol: string;
  readonly port: number | null;
  readonly bytes: number;
  readonly packets: number;
  readonly flows: number;
  readonly last_seen_at: string;
};

export type ImpactTotals = Record<ImpactOutcome, number>;

/** Different texts. Mostly there is one, and a set for each of very many ends would take most of the time. */
class Texts {
  first: string | null = null;
  #all: Set<string> | null = null;

  add(text: string): void {
    if (this.first === null) this.first = text;
    else if (this.#all) this.#all.add(text);
    else if (text !== this.first) this.#all = new Set([this.first, text]);
  }

  get size(): number {
    return this.#all?.size ?? (this.first === null ? 0 : 1);
  }

  all(): Iterable<string> {
    return this.#all ?? (this.first === null ? [] : [this.first]);
  }
}

type Seen = { workload_id: string | null; internal: boolean; prefixes: Texts; addresses: Texts | null };
type Sums = { bytes: number; packets: number; flows: number; last_seen_at: string };
const NOTHING: Sums = { bytes: 0, packets: 0, flows: 0, last_seen_at: '' };
type Open = Replayed & Sums & { client: Seen; server: Seen; protocol: string; port: number | null };

const getFamily = (prefix: string) => (prefix.includes(':') ? 6 : 4);

/** Who it is to the reader: a workload, else the network that its address is collapsed to. */
const getEndName = (flow: ObservedConversation, end: End) => flow[FIELDS[end].workload_id] ?? flow[FIELDS[end].prefix];

const getClientAndServer = ({ reply }: ObservedConversation): readonly [End, End] =>
  reply ? ['destination', 'source'] : ['source', 'destination'];

/** What conversations that are collapsed have in common. They must come one after the other. */
function toConversationKey(flow: ObservedConversation): string {
  const [client, server] = getClientAndServer(flow);
  const { protocol, service_port } = flow;
  return `${getEndName(flow, client)} ${getEndName(flow, server)} ${getFamily(flow.source_prefix)} ${protocol} ${service_port}`;
}

function deciderKey(by: FlowDecider | null): string {
  if (by === null) return '';
  if (by.kind === 'rule') return `${by.scope} ${by.name} ${by.position} ${by.group} ${by.group_position}`;
  if (by.kind === 'default') return `${by.policy} ${by.scope} ${by.name}`;
  return by.kind === 'builtin' ? by.name : by.reason;
}

const decisionKey = ({ workload_id, verdict, by }: EndDecision) =>
  `${workload_id} ${verdict} ${by?.kind} ${deciderKey(by)}`;

function addToSeen(seen: Seen, flow: ObservedConversation, end: End): void {
  seen.prefixes.add(flow[FIELDS[end].prefix]);
  const ip = flow[FIELDS[end].ip];
  if (ip === null) seen.addresses = null;
  else seen.addresses?.add(ip);
}

const newSeen = (flow: ObservedConversation, end: End): Seen => ({
  workload_id: flow[FIELDS[end].workload_id],
  internal: flow[FIELDS[end].internal],
  prefixes: new Texts(),
  addresses: new Texts(),
});

/** The smallest network that holds all of some addresses or networks. */
function computeEnclosingNetwork(texts: Iterable<string>): string {
  let found: { family: 4 | 6; value: bigint; prefix: number } | null = null;
  for (const text of texts) {
    const cidr = parseCidr(text);
    if (!cidr) continue;
    const { family, value } = cidr.address;
    const bits = addressBits(family);
    let prefix = Math.min(found?.prefix ?? bits, cidr.prefix);
    while (prefix > 0 && found && (found.value ^ value) >> BigInt(bits - prefix) !== 0n) prefix -= 1;
    const host = BigInt(bits - prefix);
    found = { family, value: (value >> host) << host, prefix };
  }
  return found ? `${formatIp(found)}/${found.prefix}` : '';
}

function finishEnd({ workload_id, internal, prefixes, addresses }: Seen): FoldedEnd {
  const one = addresses?.size === 1 ? addresses : prefixes;
  const shown = one.size === 1 ? (one.first ?? '') : computeEnclosingNetwork(prefixes.all());
  return { workload_id, prefix: shown, addresses: addresses?.size ?? null, internal };
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const HARM = Object.fromEntries(IMPACT_OUTCOMES.map((outcome, at) => [outcome, at])) as Record<ImpactOutcome, number>;

type Weight = Pick<FoldedConversation, 'outcome' | 'bytes' | 'flows' | 'last_seen_at'>;

/** The most harmful first, of those the one with most traffic. */
const byWeight = (a: Weight, b: Weight): number =>
  HARM[a.outcome] - HARM[b.outcome] || b.bytes - a.bytes || b.flows - a.flows || byText(b.last_seen_at, a.last_seen_at);

const byHarm = (a: FoldedConversation, b: FoldedConversation): number =>
  byWeight(a, b) ||
  byText(a.client.prefix, b.client.prefix) ||
  byText(a.server.prefix, b.server.prefix) ||
  byText(a.protocol, b.protocol) ||
  (a.port ?? -1) - (b.port ?? -1);

/**
 * Collapses replayed conversations to client, server and service, by outcome and deciding rules. Totals are exact; of the
 * conversations the `most` most harmful ones are kept, so that memory does not grow with traffic. What is collapsed must be added
 * one after the other.
 */
export function createImpactFold(most: number) {
  const totals = Object.fromEntries(IMPACT_OUTCOMES.map((outcome) => [outcome, 0])) as ImpactTotals;
  const open = new Map<string, Open>();
  let kept: FoldedConversation[] = [];
  let least: FoldedConversation | undefined;
  let key = '';

  const cut = (count: number) => {
    kept.sort(byHarm);
    kept = kept.slice(0, count);
    // What comes after the last of as many as are kept is never among them.
    least = kept[most - 1];
  };
  const close = () => {
    for (const { client, server, ...row } of open.values()) {
      totals[row.outcome] += 1;
      if (least && byWeight(row, least) > 0) continue;
      kept.push({ ...row, client: finishEnd(client), server: finishEnd(server) });
    }
    open.clear();
    if (kept.length > 2 * most) cut(most);
  };

  return {
    totals,
    add(flow: ObservedConversation, replayed: Replayed): void {
      const next = toConversationKey(flow);
      if (next !== key) close();
      key = next;
      const { outcome, unknown_reason, before, after } = replayed;
      const same = `${outcome} ${unknown_reason} ${decisionKey(before)} ${decisionKey(after)}`;
      const [client, server] = getClientAndServer(flow);
      let row = open.get(same);
      if (!row) {
        const ends = { client: newSeen(flow, client), server: newSeen(flow, server) };
        const service = { protocol: flow.protocol, port: flow.service_port };
        row = { outcome, unknown_reason, before, after, ...ends, ...service, ...NOTHING };
        open.set(same, row);
      }
      addToSeen(row.client, flow, client);
      addToSeen(row.server, flow, server);
      row.bytes += flow.bytes;
      row.packets += flow.packets;
      row.flows += flow.flows;
      if (flow.last_seen_at > row.last_seen_at) row.last_seen_at = flow.last_seen_at;
    },
    /** Ends a row that may still grow: nothing of it follows. */
    close,
    /** The most harmful conversations of those that are complete. */
    first(count: number): readonly FoldedConversation[] {
      cut(most);
      return kept.slice(0, count);
    },
  };
}
