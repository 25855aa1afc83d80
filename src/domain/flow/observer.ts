/** What an agent's word about the workload whose interface saw something is worth. */
export type ObserverVerdict = 'confirmed' | 'elsewhere' | 'unknown_vmid' | 'no_guest_interface';

/** Where a workload is, and where it was. Times in milliseconds since 1970. */
export type Placement = {
  node_id: string | null;
  /** When it was last known elsewhere before it turned up there; null: it was never known elsewhere. */
  since: number | null;
  past: readonly { node_id: string; since: number | null; until: number }[];
  /** Since when its VMID is known to be its own; null: no other workload had it before. */
  vmid_since: number | null;
};

/**
 * Readings of a cluster, agents' clocks and heartbeats are some time apart, and the interface of a guest exists on the target
 * node while it still migrates.
 */
export const PLACEMENT_TOLERANCE_MS = 5 * 60_000;

/** Whether what was seen of a VMID at a time can be of the workload that has it now: a hypervisor assigns free ones again. */
export const hasVmid = ({ vmid_since }: Pick<Placement, 'vmid_since'>, at: number): boolean =>
  vmid_since === null || at >= vmid_since;

/** Whether a workload may have been on a node at a time, as far as its place was read. */
export function wasOn({ node_id, since, past, vmid_since }: Placement, nodeId: string, at: number): boolean {
  if (!hasVmid({ vmid_since }, at)) return false;
  const begun = (from: number | null) => from === null || at >= from - PLACEMENT_TOLERANCE_MS;
  if (node_id === nodeId && begun(since)) return true;
  return past.some((stay) => {
    return stay.node_id === nodeId && begun(stay.since) && at <= stay.until + PLACEMENT_TOLERANCE_MS;
  });
}

/**
 * Whether a node may report for the guest whose interface saw something.
 * @param vmid of the interface; null: of no guest
 * @param workloadId the workload with this VMID; null: the inventory has none that had it then
 */
export function evaluateObserver(
  vmid: number | null,
  workloadId: string | null,
  isHere: (workloadId: string) => boolean,
): ObserverVerdict {
  if (vmid === null) return 'no_guest_interface';
  if (workloadId === null) return 'unknown_vmid';
  return isHere(workloadId) ? 'confirmed' : 'elsewhere';
}

/** A targeted reading of where a workload is; `found` is null when the cluster did not list it. */
export type PlaceReading = { read_at: number; found: { node_id: string | null; lock: string | null } | null };

/**
 * What happens to a report about a workload that was elsewhere. It is refused only by a snapshot that was read after
 * the report and shows the workload on another node with no migration in progress.
 * @param placement as it is known after the read
 * @param reading null: the cluster could not be read
 */
export function settleReport(
  report: { node_id: string; observed_at: number; received_at: number },
  placement: Placement | null,
  reading: PlaceReading | null,
): 'confirmed' | 'refused' | 'waiting' {
  if (placement && wasOn(placement, report.node_id, report.observed_at)) return 'confirmed';
  // The cluster lists the workload that has the VMID now, not the one that had it then.
  if (placement && !hasVmid(placement, report.observed_at)) return 'waiting';
  if (!reading?.found || reading.found.node_id === null) return 'waiting';
  if (reading.read_at < report.received_at || reading.found.lock === 'migrate') return 'waiting';
  return 'refused';
}
