import type { CurrentUser } from '@/domain/auth';
import type { Session } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { findUserWithRoles } from '../../repositories/users';
import { describeUser } from './describe-user';

/** The signed-in user with permissions, roles and tenants. @throws AppError `unauthenticated` when deactivated meanwhile */
export async function readCurrentUser(session: Session): Promise<CurrentUser> {
  const found = await findUserWithRoles(db, session.user.id, clock.now().toISOString());
  if (!found) throw new AppError('unauthenticated', 'Sign in to continue.');
  return describeUser(db, found, session.must_enrol ?? false);
}
