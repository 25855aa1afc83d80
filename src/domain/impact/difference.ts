import type { AddressSpan } from '../firewall/address-set';
import type { PreparedGuest } from '../firewall/prepare-guest';
import { type Addresses, type Box, buildBox } from '../firewall/space/box';
import { broadcastSpans, MULTICAST } from '../firewall/space/cut';
import { formatBox, type PacketText } from '../firewall/space/rows';
import { equalSpans, joinSpans, type Span } from '../firewall/space/spans';
import type { DecidedBy, Verdict } from '../firewall/verdict';
import { rangeToCidrs } from '../net/cidr';
import { type Change, findChanges } from './changes';

/** New connections of one workload that are treated differently after a change. */
export type DifferenceRow = PacketText & {
  readonly direction: 'in' | 'out';
  /** Null: both families. */
  readonly family: 4 | 6 | null;
  readonly before: Verdict['verdict'];
  readonly after: Verdict['verdict'];
  readonly decided_before: DecidedBy;
  readonly decided_after: DecidedBy;
};

/** The first rows, and how many more there are. */
export type DifferenceRows = { readonly rows: readonly DifferenceRow[]; readonly left_out: number };

export type Difference = {
  /** Not allowed before, allowed after. */
  readonly gained: DifferenceRows;
  /** Allowed before, not allowed after. */
  readonly lost: DifferenceRows;
  /** Undecided before or after. */
  readonly unknown: DifferenceRows;
  /** False: the filters are too complex to be compared completely. What was found is right, but there may be more. */
  readonly complete: boolean;
};

type Kind = 'gained' | 'lost' | 'unknown';

/** Guests with 200 rules that overlap in all fields have about 100,000 parts, others a few thousand. */
const MOST_PARTS = 400_000;

const classifyChange = ({ before, after }: Change): Kind =>
  before.verdict === 'unknown' || after.verdict === 'unknown'
    ? 'unknown'
    : after.verdict === 'accept'
      ? 'gained'
      : 'lost';

/** A short text that equal sets have in common. */
const outline = <T extends number | bigint>(spans: readonly Span<T>[]) =>
  `${spans.length} ${spans[0]?.first} ${spans.at(-1)?.last}`;

const equalAddresses = (a: Addresses, b: Addresses): boolean =>
  a.last_octet === b.last_octet && equalSpans(a.spans, b.spans);

/** Protocols with and without ports are found apart from each other; those that are treated alike are one row. */
function mergeProtocols(changes: readonly Change[]): Change[] {
  const merged: Change[] = [];
  const places = new Map<string, number[]>();
  for (const change of changes) {
    const { sources, destinations, protocols, destination_ports, source_ports, icmp } = change.box;
    const { direction, before, after, box } = change;
    // Long lists of addresses are compared, not written: a text of each takes several times as long as everything else.
    const addresses = [outline(sources.spans), outline(destinations.spans)];
    const key = JSON.stringify([
      direction,
      box.family,
      before,
      after,
      destination_ports,
      source_ports,
      icmp,
      addresses,
    ]);
    const candidates = places.get(key) ?? [];
    const at = candidates.find((place) => {
      const other = merged[place]?.box;
      return other && equalAddresses(other.sources, sources) && equalAddresses(other.destinations, destinations);
    });
    const known = at === undefined ? undefined : merged[at];
    if (at === undefined || !known) places.set(key, [...candidates, merged.push(change) - 1]);
    else {
      const all = [...known.box.protocols, ...protocols].sort((a, b) => a - b);
      merged[at] = { ...known, box: { ...known.box, protocols: all } };
    }
  }
  return merged;
}

/** IPv4 addresses that no sender may have: groups, and broadcast addresses of the node. */
const listImpossibleSenders = ({ filters }: PreparedGuest): AddressSpan[] => [
  ...MULTICAST[4],
  ...filters.flatMap(({ node }) => broadcastSpans(node.broadcasts)),
];

const countNetworks = (spans: readonly AddressSpan[]): number =>
  spans.reduce(
    (sum, { first, last }) => sum + rangeToCidrs({ family: 4, value: first }, { family: 4, value: last }).length,
    0,
  );

/** Rows with more ranges than this stay as they are: holes in them are not what makes them long. */
const MOST_SPANS = 100;

/** With senders that cannot exist, where that makes the row shorter: a filter drops these in front of all rules. */
function withoutHoles(box: Box, impossible: readonly AddressSpan[]): Box {
  if (box.family === 6 || box.sources.spans.length > MOST_SPANS) return box;
  let { spans } = box.sources;
  for (const hole of impossible) {
    const near = spans.filter(({ first, last }) => first <= hole.last + 1n && last + 1n >= hole.first);
    const filled = joinSpans([...near, hole]);
    const shorter = filled.length < near.length || countNetworks(filled) < countNetworks(near);
    if (near.length > 0 && shorter) spans = joinSpans([...spans, hole]);
  }
  return { ...box, sources: { ...box.sources, spans } };
}

function toDifferenceRow({ direction, box, before, after }: Change): DifferenceRow {
  const verdicts = { before: before.verdict, after: after.verdict };
  const decided = { decided_before: before.decided_by, decided_after: after.decided_by };
  return { direction, family: box.family, ...formatBox(box), ...verdicts, ...decided };
}

/** Rows about all addresses that both families have are one row. */
function mergeFamilies(rows: readonly DifferenceRow[]): DifferenceRow[] {
  const merged = new Map<string, DifferenceRow>();
  for (const row of rows) {
    const any = row.from === null && row.to === null;
    const key = JSON.stringify(any ? { ...row, family: null } : row);
    merged.set(key, merged.has(key) ? { ...row, family: null } : row);
  }
  return [...merged.values()];
}

/**
 * What a change does to new connections of one interface of a guest, whether or not such connections were ever seen. Rows are exact,
 * but for senders that cannot exist: where naming these would split a range, they are part of it.
 * @param limit most rows of each kind; the others are counted
 */
export function computeDifference(before: PreparedGuest, after: PreparedGuest, limit = 200): Difference {
  const budget = { left: MOST_PARTS };
  const changes = (['in', 'out'] as const).flatMap((direction) =>
    ([4, 6] as const).flatMap((family) => findChanges(before, after, direction, buildBox({ family }), budget)),
  );
  const impossible = joinSpans([...listImpossibleSenders(before), ...listImpossibleSenders(after)]);
  const listDifferenceRows = (kind: Kind): DifferenceRows => {
    const found = changes.filter((change) => classifyChange(change) === kind);
    const filled = found.map((change) => ({ ...change, box: withoutHoles(change.box, impossible) }));
    const rows = mergeFamilies(mergeProtocols(filled).map(toDifferenceRow));
    return { rows: rows.slice(0, limit), left_out: Math.max(0, rows.length - limit) };
  };
  return {
    gained: listDifferenceRows('gained'),
    lost: listDifferenceRows('lost'),
    unknown: listDifferenceRows('unknown'),
    complete: budget.left >= 0,
  };
}
