import { z } from 'zod';
import type { IndexedWorkload, InventoryIndex } from './policy/inventory-index';
import { resolvePeers, resolveWorkloads, spansToText, UNRESOLVED_REASONS } from './policy/resolve';

/** Things of one kind that are listed; the rest is counted. */
const SHOWN = 25;

/** What is asked: endpoints as a policy has them. `tenant_id` as when a policy is created. */
export const ResolveInput = z.strictObject({
  endpoints: z.array(z.string().max(300, 'at most 300 characters')).max(400, 'at most 400 endpoints'),
  tenant_id: z.uuid().nullable().optional(),
});
export type ResolveInput = z.output<typeof ResolveInput>;

const ResolvedWorkload = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  vmid: z.int(),
  name: z.string(),
  addresses: z.array(z.string()),
});

/** What one endpoint stands for, as a place for rules and as the other side of a rule. */
export const ResolvedEndpoint = z.object({
  endpoint: z.string(),
  /** Workloads that rules can be put at. */
  places: z.object({
    workloads_total: z.int(),
    workloads: z.array(ResolvedWorkload),
    reason: z.enum(UNRESOLVED_REASONS).nullable(),
  }),
  /** Addresses that a rule compares with. */
  peers: z.object({
    any: z.boolean(),
    cidrs_total: z.int(),
    cidrs: z.array(z.string()),
    /** Workloads that are meant but have no address: the rule leaves them out. */
    without_address_total: z.int(),
    without_address: z.array(z.string()),
    reason: z.enum(UNRESOLVED_REASONS).nullable(),
  }),
});
export type ResolvedEndpoint = z.output<typeof ResolvedEndpoint>;

const view = (workload: IndexedWorkload, clusterName: (id: string) => string) => ({
  id: workload.id,
  cluster_id: workload.cluster_id,
  cluster_name: clusterName(workload.cluster_id),
  vmid: workload.vmid,
  name: workload.name,
  addresses: [...workload.addresses],
});

function peersOf(endpoint: string, index: InventoryIndex, tenantId: string | null): ResolvedEndpoint['peers'] {
  const none = { any: false, cidrs_total: 0, cidrs: [], without_address_total: 0, without_address: [], reason: null };
  const found = resolvePeers(endpoint, index, tenantId);
  if (found === 'any') return { ...none, any: true };
  if ('reason' in found) return { ...none, reason: found.reason };
  const cidrs = [...spansToText(found[4], 4), ...spansToText(found[6], 6)];
  return {
    ...none,
    cidrs_total: cidrs.length,
    cidrs: cidrs.slice(0, SHOWN),
    without_address_total: found.without_address.length,
    without_address: found.without_address.slice(0, SHOWN).map(({ name }) => name),
  };
}

/** Tells what each endpoint stands for, by the very rules that compiling follows. */
export function describeEndpoints(
  endpoints: readonly string[],
  index: InventoryIndex,
  tenantId: string | null,
  clusterName: (id: string) => string,
): ResolvedEndpoint[] {
  return [...new Set(endpoints)].map((endpoint) => {
    const found = resolveWorkloads(endpoint, index, tenantId);
    return {
      endpoint,
      places:
        'reason' in found
          ? { workloads_total: 0, workloads: [], reason: found.reason }
          : {
              workloads_total: found.length,
              workloads: found.slice(0, SHOWN).map((workload) => view(workload, clusterName)),
              reason: null,
            },
      peers: peersOf(endpoint, index, tenantId),
    };
  });
}

/** A search for tags. */
export const TagSearchInput = z.strictObject({ q: z.string().trim().max(100).default('') });
export type TagSearchInput = z.output<typeof TagSearchInput>;

export const TagCount = z.object({ tag: z.string(), workloads: z.int() });
export type TagCount = z.output<typeof TagCount>;
