import {
  type ActingToken,
  computeReach,
  type Grantable,
  getReachableTenants,
  isEmptyReach,
  type Reach,
  type RoleGrant,
  type TenantReach,
} from '@/domain/permissions';
import { AppError } from '../lib/errors';

/** Who acts. `name` is what the audit trail shows and survives the account. */
export type Actor =
  | { kind: 'user'; id: string; name: string; api_token?: ActingToken }
  | { kind: 'agent'; id: string; name: string }
  | { kind: 'system'; id: null; name: string }
  | { kind: 'anonymous'; id: null; name: string };

/** Where a request came from, for the audit trail and the logs. */
export type Origin = { request_id: string; source_address: string | null };

/** A signed-in user as one request sees them: permissions are read afresh, so revoking takes effect immediately. */
export type Session = {
  user: { id: string; email: string; name: string };
  grants: readonly RoleGrant[];
  /** The sign-in on one device: the family of its refresh tokens. Null: a program with an API token. */
  family_id: string | null;
  /** Set for a program: `grants` are the owner's under this limit. */
  api_token?: ActingToken;
  /** A role asks for a second factor that is not set up: the session may do that and nothing else. `grants` are empty. */
  must_enrol?: boolean;
  origin: Origin;
};

/** Who acts in a session; of a program the audit trail names the token as well. */
export function getActor({ user, api_token }: Session): Actor {
  if (!api_token) return { kind: 'user', id: user.id, name: user.email };
  return { kind: 'user', id: user.id, name: `${user.email} (token ${api_token.name})`, api_token };
}

/** Who has to set up a second factor may do nothing else before. @throws AppError `forbidden` */
function assertEnrolled(session: Session): void {
  if (!session.must_enrol) return;
  throw new AppError('forbidden', 'One of your roles requires a second factor. Set up a second factor first.', {
    extra: { reason: 'second_factor_not_set_up' },
  });
}

/**
 * For what every signed-in user may do; `enrolling` lets those in who still have to set up a second factor.
 * @throws AppError `unauthenticated` without a session, `forbidden`
 */
export function requireSession(session: Session | null, enrolling = false): Session {
  if (!session) throw new AppError('unauthenticated', 'Sign in to continue.');
  if (!enrolling) assertEnrolled(session);
  return session;
}

/** A session that a person signed in to. */
export type PersonSession = Session & { family_id: string };

/**
 * For what only a person may do: a token that leaked must not be able to make others or lock its owner out.
 * @throws AppError `unauthenticated` without a session, `forbidden` for an API token
 */
export function requirePerson(given: Session | null, enrolling = false): PersonSession {
  const session = requireSession(given, enrolling);
  const { family_id } = session;
  if (family_id === null)
    throw new AppError('forbidden', 'An API token is not permitted to do this. Sign in with your password.');
  return { ...session, family_id };
}

declare const proof: unique symbol;

/**
 * Evidence that an actor may do P, and where. Only `authorize`, `authorizeIfGranted`, `narrowScope` and `systemScope` make one, so
 * a service that asks for a `Scope<'policy:write'>` cannot be called without the check having happened.
 */
export type Scope<P extends Grantable = Grantable> = {
  readonly actor: Actor;
  /** Rows of other tenants do not exist for this scope; repositories put it into the same WHERE as the id. */
  readonly tenants: TenantReach;
  /** `tenants`, and single projects that are also reachable. Code that reads only `tenants` sees nothing of these. */
  readonly reach: Reach;
  readonly origin: Origin | null;
  readonly [proof]: (permission: P) => void;
};

function make<P extends Grantable>(actor: Actor, reach: Reach, origin: Origin | null): Scope<P> {
  return { actor, tenants: getReachableTenants(reach), reach, origin } as Scope<P>;
}

/**
 * @throws AppError `unauthenticated` without a session, `forbidden` when no role gives the permission.
 */
export function authorize<P extends Grantable>(session: Session | null, permission: P): Scope<P> {
  if (!session) throw new AppError('unauthenticated', 'Sign in to continue.');
  assertEnrolled(session);
  const reach = computeReach(session.grants, permission);
  if (isEmptyReach(reach)) {
    throw new AppError(
      'forbidden',
      `This requires the permission ${permission}. Ask an administrator for a role that includes it.`,
      { extra: { permission } },
    );
  }
  return make(getActor(session), reach, session.origin);
}

/** As `authorize` for what a page shows only to those who may see it: null without the permission. */
export function authorizeIfGranted<P extends Grantable>(session: Session | null, permission: P): Scope<P> | null {
  if (!session) return null;
  const reach = computeReach(session.grants, permission);
  return isEmptyReach(reach) ? null : make(getActor(session), reach, session.origin);
}

/** The scope for one of its tenants only; null when the tenant is not visible to it. */
export function narrowScope<P extends Grantable>(scope: Scope<P>, tenantId: string): Scope<P> | null {
  if (scope.tenants !== 'all' && !scope.tenants.includes(tenantId)) return null;
  return make(scope.actor, [tenantId], scope.origin);
}

/** A scope for the service's own work (schedules, queued jobs); `reason` appears in the audit trail. */
export function systemScope<P extends Grantable>(
  _permission: P,
  reason: string,
  tenants: TenantReach = 'all',
): Scope<P> {
  return make({ kind: 'system', id: null, name: reason }, tenants, null);
}

/**
 * A scope for storing what a change contains, recorded under the one who applies it or rolls it back. Whether that one may do so
 * was decided for the change as a whole.
 */
export const changeScope = <P extends Grantable>(
  _permission: P,
  by: { actor: Actor; origin: Origin | null },
): Scope<P> => make(by.actor, 'all', by.origin);

/** A scope for what anyone may do: sign in, first-run setup. Its actor is recorded under the name given. */
export type OpenScope = { readonly actor: Actor; readonly origin: Origin };
export function openScope(origin: Origin, name = 'anonymous'): OpenScope {
  return { actor: { kind: 'anonymous', id: null, name }, origin };
}
