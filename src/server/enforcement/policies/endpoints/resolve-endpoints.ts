import { type OwnerId, ownerOf } from '@/domain/policy/acts-on';
import { formatEndpoint, parseEndpoint } from '@/domain/policy/endpoint';
import { resolvePeers, resolveWorkloads, spansToText } from '@/domain/policy/resolve';
import type { ResolvedEndpoint, ResolveInput } from '@/domain/policy-endpoints';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { chooseOwner } from '../../../tenancy/choose-owner';
import { readBoard } from '../board/read-board';
import type { PolicyWorld } from '../world/load-policy-world';

const SHOWN = 50;

const NOTHING = {
  workloads_total: 0,
  workloads: [],
  cidrs_total: 0,
  cidrs: [],
  without_address: 0,
} satisfies Partial<ResolvedEndpoint>;

function resolveOne(world: PolicyWorld, owner: OwnerId, text: string): ResolvedEndpoint {
  const parsed = parseEndpoint(text);
  if ('error' in parsed) {
    const reasons = { place_reason: 'invalid', peer_reason: 'invalid' } as const;
    return { endpoint: text, canonical: null, kind: null, ...reasons, error: parsed.error, ...NOTHING };
  }
  const places = resolveWorkloads(text, world.index, owner);
  const peers = resolvePeers(text, world.index, owner);
  const workloads = 'reason' in places ? [] : [...places].sort((a, b) => (a.name < b.name ? -1 : 1));
  const known = peers !== 'any' && !('reason' in peers) ? peers : null;
  const cidrs = known ? [...spansToText(known[4], 4), ...spansToText(known[6], 6)] : [];
  return {
    endpoint: text,
    canonical: formatEndpoint(parsed),
    kind: parsed.kind,
    place_reason: 'reason' in places ? places.reason : null,
    peer_reason: peers !== 'any' && 'reason' in peers ? peers.reason : null,
    error: null,
    workloads_total: workloads.length,
    workloads: workloads.slice(0, SHOWN).map(({ id, name, vmid, cluster_id, addresses }) => ({
      workload_id: id,
      name,
      vmid,
      cluster_name: world.clusters.get(cluster_id)?.name ?? '',
      addresses: addresses.length,
    })),
    cidrs_total: cidrs.length,
    cidrs: cidrs.slice(0, SHOWN),
    without_address: known?.without_address.length ?? 0,
  };
}

/** What endpoints stand for now, for a policy of this tenant or project. @throws AppError `malformed` for one out of reach */
export async function resolveEndpoints(
  scope: Scope<'policy:read'>,
  { endpoints, tenant_id, project_id }: ResolveInput,
): Promise<{ endpoints: ResolvedEndpoint[] }> {
  const owner = await db.transaction((tx) => chooseOwner(tx, scope.reach, { tenant_id, project_id }));
  const { world } = await readBoard();
  return { endpoints: endpoints.map((text) => resolveOne(world, ownerOf(owner), text)) };
}
