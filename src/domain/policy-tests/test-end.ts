import type { AddressSpan } from '../firewall/address-set';
import type { NodeVerdict } from '../firewall/node-verdict';
import type { Box } from '../firewall/space/box';
import type { Part } from '../firewall/space/decompose';
import type { Verdict } from '../firewall/verdict';

/** What a workload or node is called where results are stored. */
export type PlaceRef =
  | { readonly kind: 'workload'; readonly id: string; readonly name: string }
  | { readonly kind: 'node'; readonly cluster_id: string; readonly name: string };

/** Packets that a filter treats alike. */
export type FilterPart = Part<Verdict | NodeVerdict>;

/** Whether a filter lets packets through, for sure or not. */
export type Answer = 'accept' | 'deny' | 'unknown';
export const toAnswer = ({ verdict }: FilterPart['verdict']): Answer =>
  verdict === 'accept' || verdict === 'unknown' ? verdict : 'deny';

/** The filter of one interface, or of a node. */
export type PlaceFilter = {
  /** Null: a node. */
  readonly interface: string | null;
  /** Divides a set of packets into parts that it treats alike. @param keeps whether the filter stays prepared for more; by default it does */
  readonly parts: (direction: 'in' | 'out', box: Box, keeps?: boolean) => Iterable<FilterPart>;
};

/** A workload or node of an end, with the addresses by which it belongs to it. */
export type TestPlace = {
  readonly key: string;
  readonly ref: PlaceRef;
  /** Ascending. */
  readonly addresses: { readonly 4: readonly bigint[]; readonly 6: readonly bigint[] };
  /** One for each interface that may have the addresses; none: nothing is known about them. */
  readonly filters: readonly PlaceFilter[];
  /** Why nothing filters there; null: something does, or it is not known. */
  readonly not_filtered: string | null;
  /** Addresses that the node of the place takes for broadcasts: no host has them. */
  readonly broadcasts: readonly bigint[];
};

/** What one end of a test resolves to. */
export type TestEnd = {
  readonly places: readonly TestPlace[];
  /** Addresses of no known place: only the other end filters their packets. Sorted and apart from each other. */
  readonly outside: { readonly 4: readonly AddressSpan[]; readonly 6: readonly AddressSpan[] };
  /** What of the end is missing, so that a test over it cannot pass. */
  readonly missing: readonly (
    | { readonly reason: 'nothing_resolved'; readonly endpoint: string }
    | { readonly reason: 'workload_without_address' | 'node_without_address'; readonly name: string }
  )[];
};

/** The addresses as spans of one each. */
export const pointSpans = (addresses: readonly bigint[]): AddressSpan[] =>
  addresses.map((value) => ({ first: value, last: value }));

/** Places by their addresses of one family. */
export class PlaceIndex<P extends TestPlace> {
  /** By address, ascending. */
  readonly points: readonly { readonly value: bigint; readonly place: P }[];

  constructor(places: readonly P[], family: 4 | 6) {
    this.points = places
      .flatMap((place) => place.addresses[family].map((value) => ({ value, place })))
      .sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
  }

  /** Visits the places that have an address in one of the spans, once for each address. */
  visit(spans: readonly AddressSpan[], visitor: (place: P, value: bigint) => void): void {
    for (const { first, last } of spans) {
      let low = 0;
      let high = this.points.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((this.points[middle]?.value ?? 0n) < first) low = middle + 1;
        else high = middle;
      }
      for (let at = low; at < this.points.length; at++) {
        const point = this.points[at];
        if (!point || point.value > last) break;
        visitor(point.place, point.value);
      }
    }
  }
}
