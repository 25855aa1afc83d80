import type { Box } from '../firewall/space/box';
import { type Answer, type FilterPart, type TestPlace, toAnswer } from './test-end';

export type DecidedBy = FilterPart['verdict']['decided_by'];

/** Packets that all filters of a place treat alike. */
export type PlacePart = {
  readonly box: Box;
  readonly answer: Answer;
  readonly interface: string | null;
  readonly decided_by: DecidedBy;
};

/** Where interfaces differ, it is not known which of them a packet passes. */
const INTERFACES_DIFFER = { kind: 'unknown', reason: 'unknown_packet_detail', places: [] } as const;

/**
 * Divides packets into parts that every filter of the place treats alike.
 * @param keeps whether what is found out about the filters stays with them: not where thousands of places are asked once
 */
export function* partsAt(
  place: TestPlace,
  direction: 'in' | 'out',
  box: Box,
  { keeps = true, from = 0 } = {},
): Generator<PlacePart> {
  const filter = place.filters[from];
  if (!filter) {
    if (place.filters.length === 0) {
      yield {
        box,
        answer: 'unknown',
        interface: null,
        decided_by: { kind: 'unknown', reason: 'unknown_nic_flag', places: [] },
      };
    }
    return;
  }
  for (const part of filter.parts(direction, box, keeps)) {
    const own = { answer: toAnswer(part.verdict), interface: filter.interface, decided_by: part.verdict.decided_by };
    if (from === place.filters.length - 1) {
      yield { box: part.box, ...own };
      continue;
    }
    for (const other of partsAt(place, direction, part.box, { keeps, from: from + 1 })) {
      if (other.answer === own.answer) yield { box: other.box, ...own };
      else yield { box: other.box, answer: 'unknown', interface: null, decided_by: INTERFACES_DIFFER };
    }
  }
}
