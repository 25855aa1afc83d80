import { sqlClient } from '@/server/db/client';
import { runDeployment } from '@/server/enforcement/deployments/run-deployment';
import { newId } from '@/server/lib/ids';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { entangle } from './entangled.fixture';
import { type Ids, makeTwoFullTenants, type Side, THEIR_MARK, type TwoTenants } from './two-tenants.fixture';

/** A user whose only role is limited to one of our projects, with ids of the project's own objects. */
export type ProjectUser = { headers: () => Record<string, string>; signIn: () => Promise<void>; ids: Ids };

/** Their things become our tenant's: what is theirs is another project of the same tenant, and what touches that alone. */
async function joinTenants({ ours, theirs }: TwoTenants): Promise<void> {
  const sql = sqlClient();
  const [our, their] = [ours.ids.tenant ?? '', theirs.ids.tenant ?? ''];
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    // Totals cover whole tenants, so they are of no use to users limited to a project.
    const columns = await tx<{ table_name: string; column_name: string }[]>`
      select c.table_name, c.column_name from information_schema.columns c join information_schema.tables t
        on t.table_name = c.table_name and t.table_schema = c.table_schema and t.table_type = 'BASE TABLE'
      where c.table_schema = 'public' and c.data_type = 'uuid' and c.column_name like '%tenant_id'
        and c.table_name <> 'traffic_totals'`;
    for (const { table_name, column_name } of columns) {
      await tx`update ${tx(table_name)} set ${tx(column_name)} = ${our} where ${tx(column_name)} = ${their}`;
    }
    // Nothing has moved between tenants any more, and one of our groups with a guest of theirs would act on both.
    await tx`delete from residual_rules`;
    await tx`delete from security_group_members where security_group_id = ${ours.ids.security_group ?? ''}
      and workload_id = ${theirs.ids.other_workload ?? ''}`;
    await tx`update workloads set project_since = null`;
  });
}

/** A group and a policy that belong to the project alone, applied. Names may be those of the tenant's. */
async function makeOwn(headers: Record<string, string>, { ids }: Side, mark: string): Promise<Ids> {
  const make = async (path: string, body: object) => {
    const answer = await call(path, { method: 'POST', headers, body });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`POST ${path}: ${text}`);
    return JSON.parse(text);
  };
  const project_id = ids.project ?? '';
  const group = await make('/security-groups', { name: `${mark}-group`, project_id });
  await make(`/security-groups/${group.id}/members`, { workload_id: ids.workload });
  const policy = await make('/policies', {
    name: `${mark}-policy`,
    project_id,
    definition: { enforcement_mode: 'enforced', sources: [`${mark}-guest-x`, 'any'], targets: [`sg:${mark}-group`] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['8443'], comment: `${mark}-own-rule` }],
  });
  const applied = await make(`/policies/${policy.id}/apply`, {
    dry_run: false,
    override_tests: { reason: `${mark}-override` },
  });
  const deployment = applied.clusters[0].deployment_id;
  await runDeployment(deployment, { signal: new AbortController().signal });
  return { policy: policy.id, rule: policy.rules[0].id, security_group: group.id, deployment };
}

/** The two full sides as two projects of one tenant, and a user with a role for our project alone. */
export async function makeTwoFullProjects(): Promise<{ tenants: TwoTenants; user: ProjectUser }> {
  const tenants = await makeTwoFullTenants();
  await entangle(tenants);
  await joinTenants(tenants);
  const { ours, theirs } = tenants;
  const person = await makeUser('admin', { id: ours.ids.tenant ?? '' }, { email: 'project@example.org' });
  await sqlClient()`update role_assignments set project_id = ${ours.ids.project ?? ''} where user_id = ${person.id}`;
  let headers = await bearer(person);
  await ours.signIn();
  const user: ProjectUser = {
    ids: { ...ours.ids, ...(await makeOwn(headers, ours, 'ours')) },
    headers: () => headers,
    async signIn() {
      headers = await bearer(person);
    },
  };
  const other = await makeOwn(ours.headers, theirs, THEIR_MARK);
  theirs.ids = { ...theirs.ids, ...Object.fromEntries(Object.entries(other).map(([kind, id]) => [`own_${kind}`, id])) };
  // What another project left on a workload that moved to our project, and our project left on one that moved there.
  for (const [side, mark, policy] of [
    [ours, THEIR_MARK, other.policy],
    [theirs, 'ours', user.ids.policy],
  ] as const) {
    await sqlClient()`insert into residual_rules (id, workload_id, policy_id, policy_name, policy_version, tenant_id, project_id, workload_name, mode)
      values (${newId()}, ${side.ids.workload ?? ''}, ${policy ?? ''}, ${`${mark}-policy`}, 1, ${ours.ids.tenant ?? ''},
        ${(side === ours ? theirs : ours).ids.project ?? ''}, ${`${mark}-old-name`}, 'keep')`;
    await sqlClient()`update escaped_conversations set policy_id = ${policy ?? null} where workload_id = ${side.ids.workload ?? ''}`;
  }
  return { tenants, user };
}
