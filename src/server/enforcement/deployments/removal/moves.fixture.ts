import type { ApplyResult } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import { clearSnapshotCaches } from '@/server/enforcement/guest-firewall/live-reader';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { lab, run } from '../testing/deployment-lab.fixture';

export const MOVED = 102;
export const STAYS = 101;

/** A tenant with a project, and an administrator of the tenant. */
export type Side = { tenant: { id: string }; project: { id: string }; as: () => Promise<{ authorization: string }> };

async function makeSide(name: string): Promise<Side> {
  const tenant = await makeTenant({ name: `${name} ${Date.now()}` });
  const user = await makeUser('admin', tenant);
  return { tenant, project: await makeProject(tenant), as: () => bearer(user) };
}

/** The answer to a call as JSON. @throws Error for any status of failure */
export async function requestAs<T>(
  who: Side['as'],
  path: string,
  body?: object,
  method = body ? 'POST' : 'GET',
): Promise<T> {
  clearSnapshotCaches();
  const response = await call(path, { method, headers: await who(), ...(body && { body }) });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text ? JSON.parse(text) : null) as T;
}

/** Two tenants; two workloads of our tenant, one of which will move. */
export async function makeMoves() {
  const [ours, theirs] = [await makeSide('ours'), await makeSide('theirs')];
  const admin = await makeUser('super_admin');
  const root = () => bearer(admin);
  const assign = async ({ project }: Pick<Side, 'project'>, vmids: number[]) =>
    requestAs<{ changed: number }>(root, '/workloads/assign', {
      project_id: project.id,
      workload_ids: await Promise.all(vmids.map((vmid) => lab.id(vmid))),
    });
  await assign(ours, [MOVED, STAYS]);
  return { ours, theirs, root, workload: await lab.id(MOVED), assign };
}

/** An enforced policy for both workloads. */
export async function makePolicy(side: Side, changes: object = {}): Promise<Policy> {
  return requestAs(side.as, '/policies', {
    name: 'shop policy',
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.20.22.0/24'],
      targets: [`vmid:${lab.cluster.id}/${MOVED}`, `vmid:${lab.cluster.id}/${STAYS}`],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'], comment: 'secret of ours' }],
    ...changes,
  });
}

export async function apply(side: Side, policy: Policy): Promise<string> {
  const result = await requestAs<ApplyResult>(side.as, `/policies/${policy.id}/apply`, {});
  const id = result.clusters[0]?.deployment_id ?? '';
  await run(id);
  return id;
}

/** Removals that wait. */
export const removals = async () =>
  (await lab.sql<{ id: string }[]>`select id from deployments where kind = 'removal' and status = 'queued'`).map(
    ({ id }) => id,
  );
export const runRemovals = async () => {
  for (const id of await removals()) await run(id);
};
