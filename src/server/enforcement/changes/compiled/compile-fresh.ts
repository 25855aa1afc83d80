import type { ChangeItem } from '@/domain/change/items';
import { sha256 } from '../../impact/hashes';
import type { FirewallState } from '../../policies/firewall-state/firewall-state';
import { refreshFirewallState } from '../../policies/firewall-state/read-firewall-state';
import type { VisitGuest } from '../../policies/planned-change';
import { guestFingerprint } from '../../policies/preview/preview-guest';
import { type CompiledChange, type CompileOptions, compileChange } from './compile-change';

/** By policy and workload, the fingerprint of what its deployment would find and write there. */
export type Fingerprints = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** A change compiled on what was read of its workloads just now. */
export type FreshChange = {
  readonly compiled: CompiledChange;
  readonly fingerprints: Fingerprints;
  /** Of all of them: another one means that something else would be written, or that it would be written to something else. */
  readonly fingerprint: string;
};

/** Reads the workloads that a change concerns now. What cannot be read is unknown afterwards. */
export async function readChangeWorkloads(items: readonly ChangeItem[]): Promise<FirewallState> {
  const { workload_ids } = await compileChange(items);
  return refreshFirewallState(() => workload_ids);
}

/**
 * Reads the workloads that a change concerns, and compiles the change on that. Deployments follow each other in the order in which
 * they are planned, so that each has to find what the one before leaves.
 */
export async function compileFresh(
  items: readonly ChangeItem[],
  options: Pick<CompileOptions, 'log_new_rules'> = {},
): Promise<FreshChange> {
  const firewall = await readChangeWorkloads(items);
  const fingerprints = new Map<string, Record<string, string>>();
  const visit: VisitGuest = (workload, { aliases, nics }) => {
    const cluster = firewall.snapshots.clusters.get(workload.cluster_id)?.state;
    if (!cluster) return () => undefined;
    const context = { aliases, nics: nics ?? [], cluster, node: workload.node_name };
    return (policyId, filter, intent) => {
      const known = fingerprints.get(policyId) ?? {};
      known[workload.id] = guestFingerprint(filter, intent, context);
      fingerprints.set(policyId, known);
    };
  };
  const compiled = await compileChange(items, { ...options, firewall, visit });
  return { compiled, fingerprints, fingerprint: sha256(Object.fromEntries(fingerprints)) };
}
