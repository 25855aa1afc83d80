import { WorkloadListInput } from '@/domain/inventory';
import { ProjectInput, ProjectListInput, WorkloadAssignment } from '@/domain/project';
import { TenantInput, TenantListInput } from '@/domain/tenant';
import { systemScope } from '@/server/auth/scope';
import { listWorkloads } from '@/server/enforcement/inventory-views/workloads';
import { assignWorkloads } from '@/server/placement/place';
import { createProject } from '@/server/tenancy/projects';
import { listProjects } from '@/server/tenancy/queries/projects';
import { listTenants } from '@/server/tenancy/queries/tenants';
import { createTenant } from '@/server/tenancy/tenants';
import { ignoreConflict } from './kept-steps';

/** Teams, their projects, and the pools whose workloads belong to each. */
const TEAMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Commerce: { 'Web shop': ['shop'], 'Shop staging': ['staging'] },
  'Office IT': { Workplace: ['office'], ERP: ['erp'] },
  Engineering: { Development: ['engineering'] },
};

/** Adds teams as tenants, and gives them their workloads; the platform belongs to no tenant. */
export async function addProjects(): Promise<void> {
  const { items: workloads } = await listWorkloads(
    systemScope('workload:read', 'demo data'),
    WorkloadListInput.parse({ limit: 500 }),
  );
  const listAll = TenantListInput.parse({ limit: 500 });
  for (const [team, projects] of Object.entries(TEAMS)) {
    await ignoreConflict(() =>
      createTenant(systemScope('tenant:write', 'demo data'), TenantInput.parse({ name: team })),
    );
    const tenants = await listTenants('all', listAll);
    const tenant_id = tenants.items.find(({ name }) => name === team)?.id;
    for (const [name, pools] of Object.entries(projects)) {
      const input = ProjectInput.parse({ tenant_id, name });
      await ignoreConflict(() => createProject(systemScope('project:write', 'demo data'), input));
      const inTenant = ProjectListInput.parse({ tenant_id, limit: 500 });
      const known = await listProjects('all', inTenant);
      const project_id = known.items.find((project) => project.name === name)?.id;
      const workload_ids = workloads.filter(({ pool }) => pool !== null && pools.includes(pool)).map(({ id }) => id);
      const assignment = WorkloadAssignment.parse({ project_id, workload_ids });
      await assignWorkloads(systemScope('workload:write', 'demo data'), assignment);
    }
  }
}
