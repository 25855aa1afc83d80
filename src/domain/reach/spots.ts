import type { AddressSpan } from '../firewall/address-set';
import { joinSpans } from '../firewall/space/spans';
import { hostSpans } from '../policy-tests/packet-set';
import { pointSpans, type TestEnd, type TestPlace } from '../policy-tests/test-end';

/** One address of a place. */
export type Spot = { readonly place: TestPlace; readonly value: bigint };

/** The addresses of an end in one family: those of places, and those of none. */
export class EndSpots {
  /** By address, ascending. */
  readonly spots: readonly Spot[];
  readonly outside: readonly AddressSpan[];
  /** All addresses of places. */
  readonly spans: readonly AddressSpan[];
  readonly all: readonly AddressSpan[];
  readonly #ofPlace = new Map<string, readonly bigint[]>();

  constructor(
    end: TestEnd,
    readonly family: 4 | 6,
  ) {
    const all = end.places.flatMap((place) => place.addresses[family].map((value) => ({ place, value })));
    this.outside = hostSpans(end.outside[family], family);
    // An address that no host can have belongs to none, whatever is entered for it.
    this.spans = hostSpans(joinSpans(pointSpans(all.map(({ value }) => value))), family);
    this.all = joinSpans([...this.spans, ...this.outside]);
    const isHost = new Set(all.map(({ value }) => value).filter((value) => this.#spansHave(value)));
    this.spots = all
      .filter(({ value }) => isHost.has(value))
      .sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
    for (const { key, addresses } of end.places) this.#ofPlace.set(key, addresses[family]);
  }

  #spansHave(value: bigint): boolean {
    const at = this.#firstFrom(this.spans.length, (index) => (this.spans[index]?.last ?? 0n) >= value);
    return (this.spans[at]?.first ?? value + 1n) <= value;
  }

  #firstFrom(count: number, isReached: (index: number) => boolean): number {
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isReached(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Visits the numbers of the spots that have an address in one of the spans. */
  visit(
    { spans, last_octet }: { spans: readonly AddressSpan[]; last_octet?: '255' | 'other' },
    visitor: (at: number) => void,
  ) {
    for (const { first, last } of spans) {
      const start = this.#firstFrom(this.spots.length, (index) => (this.spots[index]?.value ?? 0n) >= first);
      const end = this.#firstFrom(this.spots.length, (index) => (this.spots[index]?.value ?? 0n) > last);
      for (let at = start; at < end; at++) {
        const isAsked = !last_octet || (((this.spots[at]?.value ?? 0n) & 0xffn) === 0xffn) === (last_octet === '255');
        if (isAsked) visitor(at);
      }
    }
  }

  /** The addresses by which a place belongs to the end. */
  addressesOf = (key: string): readonly bigint[] => this.#ofPlace.get(key) ?? [];
}

/** Addresses that a place exchanges no packets with: its own, and broadcasts of its node. */
export const listOwnAddresses = ({ key, addresses, broadcasts }: TestPlace, other: EndSpots): readonly bigint[] => [
  ...addresses[other.family],
  ...other.addressesOf(key),
  ...(other.family === 4 ? broadcasts : []),
];
