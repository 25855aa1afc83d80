import { FairGate } from '../../admission/fair-gate';
import { processState } from '../../lib/process-state';
import type { PasswordAsker } from './password-asker';

/**
 * Sign-ins under way: of one source address two, so that a flood from there neither takes the connections to the database nor makes others
 * wait. Waiting costs nothing and slows a flood down better than a quick refusal; what is too much is refused before anything is read.
 */
const state = processState(() => ({
  gate: new FairGate(
    { running: 4, per_tenant: 2, per_account: 1, waiting_per_tenant: 100, waiting_per_account: 100, wait_ms: 10_000 },
    {
      queue_full: 'Too many sign-ins from this address at this moment. Try again in a few seconds.',
      waited_too_long: 'Too many people sign in at this moment. Try again in a few seconds.',
    },
  ),
}));

/** Runs a sign-in when its turn comes. @throws AppError `too_many_requests` when too many of the source wait already */
export const inSignInTurn = <T>({ source, account }: PasswordAsker, work: () => Promise<T>): Promise<T> =>
  state.gate.run({ tenant: source, account: `${source} ${account}` }, null, work);
