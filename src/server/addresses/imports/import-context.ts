import type { Tx } from '../../db/client';
import { newId } from '../../lib/ids';
import {
  findClustersByName,
  listAddressesOf,
  listAssigneesOf,
  listSubnetsOf,
  lockNetworksOf,
} from '../queries/import-context';

/** What is stored in the clusters that a file names, as a check of its rows needs it. */
export type ImportContext = {
  clusters: Awaited<ReturnType<typeof findClustersByName>>;
  networks: Awaited<ReturnType<typeof lockNetworksOf>>;
  subnets: Awaited<ReturnType<typeof listSubnetsOf>>;
  addresses: Awaited<ReturnType<typeof listAddressesOf>>;
  workloads: Awaited<ReturnType<typeof listAssigneesOf>>;
  newId: () => string;
};

/** Reads it, and keeps others from changing prefixes and addresses of these clusters until the transaction ends. */
export async function loadImportContext(tx: Tx, clusterNames: readonly string[]): Promise<ImportContext> {
  const clusters = await findClustersByName(tx, clusterNames);
  const ids = clusters.map(({ id }) => id);
  if (ids.length === 0) return { clusters, networks: [], subnets: [], addresses: [], workloads: [], newId };
  const networks = await lockNetworksOf(tx, ids);
  const [subnets, addresses, workloads] = await Promise.all([
    listSubnetsOf(tx, ids),
    listAddressesOf(tx, ids),
    listAssigneesOf(tx, ids),
  ]);
  return { clusters, networks, subnets, addresses, workloads, newId };
}
