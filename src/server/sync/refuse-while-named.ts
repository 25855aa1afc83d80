import { parseEndpoint } from '@/domain/policy/endpoint';
import type { Tx } from '../db/client';
import { listPolicyEndpoints } from '../enforcement/queries/policies';
import { AppError } from '../lib/errors';

const NAMED = 5;

const names = (text: string, cluster: string): boolean => {
  const endpoint = parseEndpoint(text);
  return 'cluster' in endpoint && endpoint.cluster === cluster;
};

/**
 * Endpoints name networks and VMIDs by their cluster: with another name they resolve to nothing, and applying their
 * policies would remove rules. So a cluster that is named is not renamed.
 * @throws AppError `conflict` naming the policies when there are any
 */
export async function refuseWhileNamed(tx: Tx, cluster: string): Promise<void> {
  const policies = await listPolicyEndpoints(tx);
  const naming = policies.filter(({ endpoints }) => endpoints.some((text) => names(text, cluster)));
  if (naming.length === 0) return;
  const more = naming.length > NAMED ? ` and ${naming.length - NAMED} more` : '';
  const list = naming.slice(0, NAMED).map(({ name }) => name);
  throw new AppError(
    'conflict',
    `The endpoints of ${naming.length === 1 ? 'a policy name' : `${naming.length} policies name`} the cluster ${cluster}: ${list.join(', ')}${more}. Change these endpoints first, then rename the cluster.`,
    { errors: [{ field: 'name', message: 'Policies refer to the cluster by its name.' }] },
  );
}
