import { db } from '../../db/client';
import type { PolicyInputs } from '../../enforcement/policies/policy-inputs';
import type { InputWorkload } from '../../enforcement/queries/policy-inputs';
import { clock } from '../../lib/clock';
import { listUnobservedNodes } from '../queries/notification-facts';

/** Where no agent reported in a time, so that nothing seen there does not mean that there was nothing. */
export type Unobserved = {
  readonly nodes: ReadonlySet<string>;
  readonly clusters: ReadonlySet<string>;
  readonly workloads: ReadonlyMap<string, InputWorkload>;
};

/** Nodes whose agent did not report in the last `windowMs`, with their clusters and the workloads on them. One query. */
export async function readUnobserved({ workloads }: PolicyInputs, windowMs: number): Promise<Unobserved> {
  const since = new Date(clock.now().getTime() - windowMs).toISOString();
  const found = await listUnobservedNodes(db, since);
  const places = new Set(found.map(({ cluster_id, node_name }) => `${cluster_id} ${node_name}`));
  const isThere = ([, { cluster_id, node_name }]: readonly [string, InputWorkload]) =>
    places.has(`${cluster_id} ${node_name}`);
  return {
    nodes: new Set(found.map(({ node_id }) => node_id)),
    clusters: new Set(found.map(({ cluster_id }) => cluster_id)),
    workloads: new Map([...workloads].filter(isThere)),
  };
}
