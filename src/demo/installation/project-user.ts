import { ProjectListInput } from '@/domain/project';
import { RoleListInput } from '@/domain/role';
import { UserInput } from '@/domain/user';
import { listRoles } from '@/server/access/users/roles';
import { createUser } from '@/server/access/users/users';
import { systemScope } from '@/server/auth/scope';
import { listProjects } from '@/server/tenancy/projects';
import { unlessThere } from './unless-there';

export const PROJECT_USER_EMAIL = 'shop@nordwind.example';

/** Adds somebody who sees the web shop and writes its policies, and nothing else of its team. The password is the administrator's. */
export async function addProjectUser(password: string): Promise<void> {
  const roles = await listRoles(systemScope('role:read', 'demo data'), RoleListInput.parse({ limit: 500 }));
  const inAll = ProjectListInput.parse({ q: 'Web shop', limit: 500 });
  const projects = await listProjects(systemScope('project:read', 'demo data'), inAll);
  const role_id = roles.items.find(({ name }) => name === 'security_engineer')?.id;
  const project = projects.items.find(({ name }) => name === 'Web shop');
  const place = { tenant_id: project?.tenant_id, project_id: project?.id };
  const input = UserInput.parse({
    email: PROJECT_USER_EMAIL,
    name: 'Web shop operator',
    password,
    assignments: [{ role_id, ...place }],
  });
  await unlessThere(() => createUser(systemScope('user:write', 'demo data'), input));
}
