import type { Attribution } from '@/domain/flow/attribute-ends';
import type { EndResolver, FlowEnds, FlowNode } from './flow-rows';

/** A flow of which an end is unknown. */
export type UnresolvedEnds = FlowEnds &
  FlowNode & { source_ip: string; destination_ip: string; vmid: number | null; observed_ms: number };

/** The ends of a flow with what is unknown filled in; null when nothing can be. What was resolved stays. */
export function fillFlow(resolver: EndResolver, flow: UnresolvedEnds): FlowEnds | null {
  const found = resolver.endsOf({ ...flow, at: flow.observed_ms });
  if (!found) return null;
  // A workload at one end is not also set at the other end.
  const unless = (id: string | null, other: string | null) => (id === other ? null : id);
  const ends: FlowEnds = {
    workload_id: found.workload_id,
    source_workload_id: flow.source_workload_id ?? unless(found.source_workload_id, flow.destination_workload_id),
    destination_workload_id:
      flow.destination_workload_id ?? unless(found.destination_workload_id, flow.source_workload_id),
    source_cidr: flow.source_cidr ?? found.source_cidr,
    destination_cidr: flow.destination_cidr ?? found.destination_cidr,
  };
  const isSame = (Object.keys(ends) as (keyof FlowEnds)[]).every((name) => ends[name] === flow[name]);
  return isSame ? null : ends;
}

/** What of a minute came from a flow, with the ends that each of them knows. */
type Part = {
  bucket_at: string;
  minute: Attribution;
  flow: Omit<UnresolvedEnds, 'source_cidr' | 'destination_cidr' | 'observed_ms'>;
};

type FilledPart = { ends: Attribution; is_resolvable: boolean };

/**
 * The ends of a part with what is unknown filled in; null when nothing is. Fills in only what the stored flow and the
 * current inventory agree on: a flow keeps an end permanently, even when its address was reassigned since.
 */
export function fillPart({ flow, minute, bucket_at }: Part, resolver: EndResolver): FilledPart | null {
  const now = resolver.endsOf({ ...flow, at: Date.parse(bucket_at) });
  if (!now) return null;
  const fillEnd = (end: keyof Attribution, other: keyof Attribution) =>
    minute[end] ?? (now[end] === flow[end] && now[end] !== minute[other] ? now[end] : null);
  const ends: Attribution = {
    source_workload_id: fillEnd('source_workload_id', 'destination_workload_id'),
    destination_workload_id: fillEnd('destination_workload_id', 'source_workload_id'),
  };
  const isSame =
    ends.source_workload_id === minute.source_workload_id &&
    ends.destination_workload_id === minute.destination_workload_id;
  return isSame ? null : { ends, is_resolvable: now.is_resolvable(ends) };
}

type Prefixes = {
  source_prefix: string;
  destination_prefix: string;
  source_internal: boolean;
  destination_internal: boolean;
};

/** The networks of a total with those that are known by now; null when nothing changes. */
export function findSubnets(resolver: EndResolver, of: Prefixes): Prefixes | null {
  const source = of.source_internal ? null : resolver.subnetAround(of.source_prefix);
  const destination = of.destination_internal ? null : resolver.subnetAround(of.destination_prefix);
  if (source === null && destination === null) return null;
  return {
    source_prefix: source ?? of.source_prefix,
    destination_prefix: destination ?? of.destination_prefix,
    source_internal: of.source_internal || source !== null,
    destination_internal: of.destination_internal || destination !== null,
  };
}
