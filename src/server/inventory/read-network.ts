import type { NetworkDetail } from '@/domain/inventory';
import type { Scope } from '../auth/scope';
import { notFound } from '../lib/refusals';
import { findNetwork } from './queries/networks';

/** @throws AppError `not_found`, also for a network to which no workload within reach is attached */
export async function readNetwork(scope: Scope<'ipam:read'>, id: string): Promise<NetworkDetail> {
  const network = await findNetwork(scope.reach, id);
  if (!network) throw notFound('network');
  return network;
}
