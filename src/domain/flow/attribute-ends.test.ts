import { describe, expect, it } from 'vitest';
import { attributeEnds, type FlowEnd } from './attribute-ends';

const inside = (...workload_ids: string[]): FlowEnd => ({ workload_ids, cidr: '10.0.0.0/24' });
const outside: FlowEnd = { workload_ids: [], cidr: null };
const ends = (source: string | null, destination: string | null) => ({
  source_workload_id: source,
  destination_workload_id: destination,
});

describe('attributeEnds', () => {
  it('goes by address', () => {
    expect(attributeEnds(inside('a'), inside('b'), null)).toEqual(ends('a', 'b'));
    expect(attributeEnds(inside('a'), outside, null)).toEqual(ends('a', null));
    expect(attributeEnds(outside, outside, null)).toEqual(ends(null, null));
  });

  it('guesses no guest when several have the address, but takes the one that saw the flow', () => {
    expect(attributeEnds(inside('a', 'b'), outside, null)).toEqual(ends(null, null));
    expect(attributeEnds(inside('a', 'b'), outside, 'b')).toEqual(ends('b', null));
    expect(attributeEnds(inside('a', 'b'), outside, 'c')).toEqual(ends(null, 'c'));
  });

  it('places the observing guest at the only end that is free', () => {
    expect(attributeEnds(inside(), inside('b'), 'a')).toEqual(ends('a', 'b'));
    expect(attributeEnds(inside('b'), outside, 'a')).toEqual(ends('b', 'a'));
    expect(attributeEnds(inside(), outside, 'a')).toEqual(ends('a', null));
    expect(attributeEnds(outside, inside(), 'a')).toEqual(ends(null, 'a'));
  });

  it('leaves it open when both ends could be it, and when others stand at both (a router)', () => {
    expect(attributeEnds(outside, outside, 'a')).toEqual(ends(null, null));
    expect(attributeEnds(inside(), inside(), 'a')).toEqual(ends(null, null));
    expect(attributeEnds(inside('b'), inside('c'), 'a')).toEqual(ends('b', 'c'));
  });
});
