/** What is known about an end of a flow: the guests that have its address, and its subnet (null: external). */
export type FlowEnd = { workload_ids: readonly string[]; cidr: string | null };

export type Attribution = { source_workload_id: string | null; destination_workload_id: string | null };

/** The guest of an end by its address; when several have the address only the observing one can be meant. */
function findGuestByAddress(end: FlowEnd, observer: string | null): string | null {
  if (observer !== null && end.workload_ids.includes(observer)) return observer;
  return end.workload_ids.length === 1 ? (end.workload_ids[0] ?? null) : null;
}

/**
 * Keeps what the node that saw a flow may report about its ends. The node is trusted for its own workloads; a
 * workload of another node is accepted only as the peer of one of its own that has the other address, or is at the
 * other end inside a known subnet.
 */
function restrictAttribution(
  { source_workload_id, destination_workload_id }: Attribution,
  source: FlowEnd,
  destination: FlowEnd,
  isHere: (workloadId: string) => boolean,
): Attribution {
  const speaksFor = (end: FlowEnd, own: string | null) =>
    own !== null && isHere(own) && (end.workload_ids.includes(own) || end.cidr !== null);
  const keep = (id: string | null, other: FlowEnd, otherId: string | null) =>
    id === null || isHere(id) || speaksFor(other, otherId) ? id : null;
  return {
    source_workload_id: keep(source_workload_id, destination, destination_workload_id),
    destination_workload_id: keep(destination_workload_id, source, source_workload_id),
  };
}

/**
 * Addresses decide; what is ambiguous stays unknown. A guest whose interface saw the flow (`observer`) but has
 * neither address is placed at the only end that no other guest can be at, when there is exactly one.
 */
function locateEnds(source: FlowEnd, destination: FlowEnd, observer: string | null): Attribution {
  const from = findGuestByAddress(source, observer);
  const to = findGuestByAddress(destination, observer);
  if (observer === null || from === observer || to === observer) {
    return { source_workload_id: from, destination_workload_id: to };
  }
  const fromFree = from === null && source.workload_ids.length === 0;
  const toFree = to === null && destination.workload_ids.length === 0;
  // Of two unknown ends, the one inside a known subnet is the guest's; two of the same kind cannot be distinguished.
  const takesSource = fromFree && (!toFree || (source.cidr !== null && destination.cidr === null));
  const takesDestination = toFree && (!fromFree || (destination.cidr !== null && source.cidr === null));
  return {
    source_workload_id: takesSource ? observer : from,
    destination_workload_id: takesDestination ? observer : to,
  };
}

/**
 * Which guests are at the ends of a flow, as far as the node that saw it may report them.
 * @param observer the guest whose interface saw the flow, when it is on that node
 * @param isHere whether a guest was on that node
 */
export function attributeEnds(
  source: FlowEnd,
  destination: FlowEnd,
  observer: string | null,
  isHere: (workloadId: string) => boolean,
): Attribution {
  return restrictAttribution(locateEnds(source, destination, observer), source, destination, isHere);
}
