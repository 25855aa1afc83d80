import { randomUUID } from 'node:crypto';
import { ProjectListInput } from '@/domain/project';
import { RoleListInput } from '@/domain/role';
import { SetupInput } from '@/domain/setup';
import { UserInput, UserListInput } from '@/domain/user';
import { listRoles } from '@/server/access/queries/roles';
import { listUsers } from '@/server/access/queries/user-list';
import { readUserSession } from '@/server/access/sign-in/read-session';
import { createUser } from '@/server/access/users/users';
import { openScope, type Session, systemScope } from '@/server/auth/scope';
import { clock } from '@/server/lib/clock';
import { env } from '@/server/lib/env';
import { AppError } from '@/server/lib/errors';
import { completeSetup } from '@/server/operation/setup/complete-setup';
import { listProjects } from '@/server/tenancy/queries/projects';
import { ignoreConflict } from './kept-steps';

export const DEMO_EMAIL = 'demo@nordwind.example';

/** Completes the setup with the demo's administrator, unless it is already complete. */
export async function ensureAdministrator(password: string): Promise<void> {
  const scope = openScope({ request_id: randomUUID(), source_address: null }, 'demo data');
  const setup_code = env().FABRIC_SETUP_CODE;
  const input = SetupInput.parse({ email: DEMO_EMAIL, password, name: 'Demo administrator', setup_code });
  try {
    await completeSetup(scope, input);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
  }
}

export const PROJECT_USER_EMAIL = 'shop@nordwind.example';

/**
 * Adds a user who sees the web shop and writes its policies, and nothing else of its team. The password is the
 * administrator's.
 */
export async function addProjectUser(password: string): Promise<void> {
  const roles = await listRoles(RoleListInput.parse({ limit: 500 }), clock.now().toISOString());
  const inAll = ProjectListInput.parse({ q: 'Web shop', limit: 500 });
  const projects = await listProjects('all', inAll);
  const role_id = roles.items.find(({ name }) => name === 'security_engineer')?.id;
  const project = projects.items.find(({ name }) => name === 'Web shop');
  const place = { tenant_id: project?.tenant_id, project_id: project?.id };
  const input = UserInput.parse({
    email: PROJECT_USER_EMAIL,
    name: 'Web shop operator',
    password,
    assignments: [{ role_id, ...place }],
  });
  await ignoreConflict(() => createUser(systemScope('user:write', 'demo data'), input));
}

/** What a user of the demo may do. */
export async function readDemoSession(email: string): Promise<Session> {
  const { items } = await listUsers(UserListInput.parse({ q: email }), clock.now().toISOString());
  const session = items[0] && (await readUserSession(items[0].id, { request_id: randomUUID(), source_address: null }));
  if (!session) throw new Error(`the demo has no user ${email}`);
  return session;
}
