import type { SimulatorOptions } from '@fabric/simulator/http-server';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import type { Policy } from '@/domain/policies';
import { db } from '@/server/db/client';
import { runDeployment } from '@/server/enforcement/deployments/run-deployment';
import { clearSnapshotCaches } from '@/server/enforcement/guest-firewall/live-reader';
import { observeCluster } from '@/server/enforcement/guest-firewall/observe';
import { insertDeployment } from '@/server/enforcement/queries/deployments';
import { newId } from '@/server/lib/ids';
import { makeSyncLab, type SyncLab } from '@/server/sync/testing/sync-lab.fixture';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';

export type PolicyLab = SyncLab & {
  /** A call as a security engineer. */
  json(path: string, init?: Parameters<typeof call>[1]): Promise<{ status: number; body: never }>;
  create(input: object): Promise<Policy>;
  /** Carries out an apply in this process. */
  apply(policy: Pick<Policy, 'id' | 'name' | 'version'>): Promise<void>;
  /** Carries out deployments that wait. */
  carryOut(requests: readonly { deployment_id: string }[]): Promise<void>;
  /** The policy, compared with the live state of its guests. */
  fresh(policyId: string): Promise<Policy>;
  /** Reads all guests, as the worker does from time to time. */
  observe(): Promise<void>;
  id(vmid: number): Promise<string>;
};

let labs = 0;

/** The small lab of the simulator, synced, with what tests of policies do with it. */
export async function makePolicyLab(options: Partial<SimulatorOptions> = {}): Promise<PolicyLab> {
  labs += 1;
  const fixture = await makeSyncLab({ scenario: smallLab, timeScale: 50, ...options }, `policy lab ${labs}`);
  const run = await fixture.sync();
  if (run.status !== 'ok') throw new Error('the lab could not be synced');
  const user = await makeUser('security_engineer');
  const json: PolicyLab['json'] = async (path, init = {}) => {
    // Tests change the cluster between two calls. A caller that requests a fresh snapshot gets one anyway.
    if (!path.includes('fresh=true')) clearSnapshotCaches();
    // The lab's time runs fast: a token of the beginning expires within seconds.
    const headers = { ...(await bearer(user)), ...init.headers };
    const response = await call(path, { ...init, headers });
    return { status: response.status, body: (response.status === 204 ? null : await response.json()) as never };
  };
  const carryOut: PolicyLab['carryOut'] = async (requests) => {
    for (const { deployment_id } of requests) {
      await runDeployment(deployment_id, { signal: new AbortController().signal });
    }
  };
  return {
    ...fixture,
    json,
    carryOut,
    async create(input) {
      const { status, body } = await json('/policies', { body: { name: `policy ${newId()}`, ...input } });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },
    async apply({ id, name, version }) {
      const added = await db.transaction((tx) =>
        insertDeployment(tx, {
          operation_id: newId(),
          policy_id: id,
          policy_name: name,
          policy_version: version,
          tenant_id: null,
          project_id: null,
          cluster_id: fixture.cluster.id,
          kind: 'apply',
          trigger: 'apply',
          requested_by: null,
        }),
      );
      await carryOut([{ deployment_id: added }]);
    },
    async fresh(policyId) {
      const { status, body } = await json(`/policies/${policyId}?fresh=true`);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body;
    },
    async observe() {
      await observeCluster(fixture.cluster.id, new AbortController().signal);
    },
    id: async (vmid) => (await fixture.workload(vmid)).id,
  };
}
