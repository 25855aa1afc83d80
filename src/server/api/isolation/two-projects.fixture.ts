import { sqlClient } from '@/server/db/client';
import { bearer, makeUser } from '@/test/factories';
import { entangle } from './entangled.fixture';
import { makeTwoFullTenants, type TwoTenants } from './two-tenants.fixture';

/** Somebody whose only role counts for one project of ours. */
export type ProjectUser = { headers: () => Record<string, string>; signIn: () => Promise<void> };

/** Their things become our tenant's: what is theirs is another project of the same tenant, and what touches that alone. */
async function joinTenants({ ours, theirs }: TwoTenants): Promise<void> {
  const sql = sqlClient();
  const [our, their] = [ours.ids.tenant ?? '', theirs.ids.tenant ?? ''];
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    // Sums are of whole tenants, and of no use to those who reach a project.
    const columns = await tx<{ table_name: string; column_name: string }[]>`
      select c.table_name, c.column_name from information_schema.columns c join information_schema.tables t
        on t.table_name = c.table_name and t.table_schema = c.table_schema and t.table_type = 'BASE TABLE'
      where c.table_schema = 'public' and c.data_type = 'uuid' and c.column_name like '%tenant_id'
        and c.table_name <> 'traffic_totals'`;
    for (const { table_name, column_name } of columns) {
      await tx`update ${tx(table_name)} set ${tx(column_name)} = ${our} where ${tx(column_name)} = ${their}`;
    }
    // Nothing moved between tenants any more, and a group of ours with a guest of theirs would act on both.
    await tx`delete from residual_rules`;
    await tx`delete from security_group_members where security_group_id = ${ours.ids.security_group ?? ''}
      and workload_id = ${theirs.ids.other_workload ?? ''}`;
    await tx`update workloads set project_since = null`;
  });
}

/** The two full sides as two projects of one tenant, and somebody who has a role for ours alone. */
export async function makeTwoFullProjects(): Promise<{ world: TwoTenants; user: ProjectUser }> {
  const world = await makeTwoFullTenants();
  await entangle(world);
  await joinTenants(world);
  const { ours } = world;
  const person = await makeUser('admin', { id: ours.ids.tenant ?? '' }, { email: 'project@example.org' });
  await sqlClient()`update role_assignments set project_id = ${ours.ids.project ?? ''} where user_id = ${person.id}`;
  let headers = await bearer(person);
  const user: ProjectUser = {
    headers: () => headers,
    async signIn() {
      headers = await bearer(person);
    },
  };
  return { world, user };
}
