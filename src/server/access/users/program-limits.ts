import type { Actor, Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';

const tokenOf = (actor: Actor) => (actor.kind === 'user' ? actor.api_token : undefined);

/**
 * Refuses what no API token may do, whatever its permissions: set a password, end sign-ins or change what is needed to sign in. A token that leaked could
 * otherwise take accounts over, or shut people out.
 * @throws AppError `forbidden` for an API token
 */
export function assertNoToken(
  { actor }: Pick<Scope, 'actor'>,
  what: 'set a password' | 'end sign-ins' | 'allow a token' | 'change an e-mail address' | 'ask for a second factor',
): void {
  if (!tokenOf(actor)) return;
  throw new AppError('forbidden', `An API token cannot ${what}. Sign in and do it in person.`);
}

/**
 * Refuses an API token that changes the account of its own owner: its roles, sign-ins, tokens, or anything else.
 * @throws AppError `forbidden`
 */
export function assertNotTokenOwner(scope: Scope<'user:write'>, userId: string): void {
  if (!tokenOf(scope.actor) || scope.actor.id !== userId) return;
  throw new AppError('forbidden', 'An API token cannot change the account of its owner. Sign in and do it in person.');
}
