import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeEnds as attribute, type FlowEnd } from './attribute-ends';

const inside = (...workload_ids: string[]): FlowEnd => ({ workload_ids, cidr: '10.0.0.0/24' });
const outside: FlowEnd = { workload_ids: [], cidr: null };
const ends = (source: string | null, destination: string | null) => ({
  source_workload_id: source,
  destination_workload_id: destination,
});

/** All workloads are on the node. */
const attributeEnds = (source: FlowEnd, destination: FlowEnd, observer: string | null) =>
  attribute(source, destination, observer, () => true);

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

  it('leaves the guest unknown when it could be at either end, and when other guests are at both (a router)', () => {
    expect(attributeEnds(outside, outside, 'a')).toEqual(ends(null, null));
    expect(attributeEnds(inside(), inside(), 'a')).toEqual(ends(null, null));
    expect(attributeEnds(inside('b'), inside('c'), 'a')).toEqual(ends('b', 'c'));
  });
});

describe('attributeEnds of what one node saw', () => {
  const here = new Set(['a', 'a2']);
  const seen = (source: FlowEnd, destination: FlowEnd, observer: string | null) =>
    attribute(source, destination, observer, (id) => here.has(id));

  it('knows a workload elsewhere as the peer of one that is here', () => {
    expect(seen(inside('a'), inside('x'), 'a')).toEqual(ends('a', 'x'));
    expect(seen(inside('x'), inside('a'), null)).toEqual(ends('x', 'a'));
    expect(seen(inside(), inside('x'), 'a')).toEqual(ends('a', 'x'));
  });

  it('does not let a node report workloads elsewhere', () => {
    // Host interfaces and connection tracking name no guest.
    expect(seen(outside, inside('x'), null)).toEqual(ends(null, null));
    expect(seen(inside('y'), inside('x'), null)).toEqual(ends(null, null));
    // A guest that has neither address, and a peer outside of all subnets: the address could belong to any host.
    expect(seen(outside, inside('x'), 'a')).toEqual(ends('a', null));
    expect(seen(inside('y'), inside('x'), 'a')).toEqual(ends(null, null));
  });

  it('names no workload elsewhere without one that is here at the other end', () => {
    const end = fc.record({
      workload_ids: fc.uniqueArray(fc.constantFrom('a', 'a2', 'x', 'y'), { maxLength: 3 }),
      cidr: fc.constantFrom('10.0.0.0/24', null),
    });
    fc.assert(
      fc.property(end, end, fc.constantFrom('a', 'a2', null), (source, destination, observer) => {
        const { source_workload_id: from, destination_workload_id: to } = seen(source, destination, observer);
        for (const [id, other] of [
          [from, to],
          [to, from],
        ]) {
          if (id && !here.has(id)) expect(here.has(other ?? '')).toBe(true);
        }
      }),
    );
  });
});
