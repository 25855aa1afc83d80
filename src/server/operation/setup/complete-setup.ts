import { setTimeout as delay } from 'node:timers/promises';
import { FIRST_USER_ROLE } from '@/domain/auth';
import { DEMO_KEY, type SetupInput, type SetupResult, type SetupStatus } from '@/domain/setup';
import { assignBuiltInRole } from '../../access/queries/roles';
import { hasAnyUser, insertUser } from '../../access/queries/users';
import { isSetupCode, isSetupCompleted, requiredSetupCode, SETUP_CODE_KEY, SETUP_KEY } from '../../access/setup-state';
import { hashNewPassword } from '../../access/sign-in/passwords';
import { recordAudit } from '../../audit/record';
import { assertAttemptsLeft, recordFailure, setupBounds, sourceKey } from '../../auth/attempt-limits';
import type { OpenScope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { findPgError } from '../../lib/pg-errors';
import { deleteSetting, findSetting, insertSetting } from '../../settings/queries/settings';
import { createClusterIn } from '../../sync/clusters';

const ATTEMPTS = 8;

/**
 * Whether the transaction failed only because of others at the same time. 23505 is among them: a transaction that works on
 * a snapshot takes the audit trail's next number from it, and another may have taken that number since.
 */
const PASSING = ['40001', '40P01', '23505'];

/**
 * Runs work as one SERIALIZABLE transaction and again when PostgreSQL asks for it, so `work` must do nothing outside
 * the transaction.
 * @throws what `work` throws; AppError `unavailable` when others were in the way all the time
 */
export async function runSerializable<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(work, { isolationLevel: 'serializable' });
    } catch (error) {
      const code = findPgError(error)?.code ?? '';
      if (!PASSING.includes(code)) throw error;
      if (attempt >= ATTEMPTS) {
        if (code === '23505') throw error;
        throw new AppError('unavailable', 'Too many setup requests at the same time. Try again in a moment.', {
          cause: error,
          retryAfterSeconds: 2,
        });
      }
      await delay(Math.random() * 20 * 2 ** attempt);
    }
  }
}

const alreadyDone = () =>
  new AppError('conflict', 'The setup is already complete. Sign in, or ask an administrator for an account.');

/**
 * Checks the setup code. The right one that was made at random gets in whatever others tried: it has too many bits to be
 * found. One that a person chose is looked at only while there are tries.
 * @throws AppError `forbidden` for a missing or wrong code, `too_many_requests` after many wrong ones
 */
async function assertSetupCode(scope: OpenScope, given: string | undefined): Promise<void> {
  const expected = await requiredSetupCode();
  if (expected === null) return;
  const right = given !== undefined && isSetupCode(given, expected.code);
  if (right && expected.random) return;
  if (given !== undefined) {
    const bounds = setupBounds(scope.origin);
    await db.transaction((tx) => assertAttemptsLeft(tx, bounds));
    if (right) return;
    await db.transaction((tx) => recordFailure(tx, bounds));
  }
  throw new AppError('forbidden', 'The setup code is wrong. The server prints the code at startup.', {
    errors: [{ field: 'setup_code', message: given === undefined ? 'Enter the setup code.' : 'The code is wrong.' }],
  });
}

async function createFirst(tx: Tx, scope: OpenScope, input: SetupInput, password_hash: string): Promise<SetupResult> {
  const at = clock.now().toISOString();
  const user = { id: newId(), email: input.email, name: input.name };
  // First of all writes: simultaneous calls meet here, and all but one find that they are late.
  const first = await insertSetting(tx, SETUP_KEY, { completed_at: at, user_id: user.id }, at);
  if (!first || (await hasAnyUser(tx))) throw alreadyDone();
  await insertUser(tx, { ...user, password_hash, created_at: at, updated_at: at });
  await assignBuiltInRole(tx, user.id, FIRST_USER_ROLE);
  await deleteSetting(tx, SETUP_CODE_KEY);
  const actor = { kind: 'user', id: user.id, name: user.email } as const;
  const cluster =
    input.cluster && (await createClusterIn(tx, { actor, origin: scope.origin }, input.cluster, 'cluster.api_url'));
  await recordAudit(
    tx,
    { actor, origin: scope.origin },
    {
      action: 'setup.completed',
      object_kind: 'user',
      object_id: user.id,
      object_name: user.email,
      after: { user, roles: [FIRST_USER_ROLE], cluster_id: cluster?.id ?? null },
    },
  );
  return { user: { ...user, roles: [FIRST_USER_ROLE] }, ...(cluster && { cluster }) };
}

/**
 * Creates the first administrator and, when given, the first cluster: both or nothing, and only once. However many calls
 * arrive at the same time, one succeeds.
 * @throws AppError `conflict` when it was done before; those of the setup code and of creating a cluster
 */
export async function completeSetup(scope: OpenScope, input: SetupInput): Promise<SetupResult> {
  if (await isSetupCompleted(db)) throw alreadyDone();
  await assertSetupCode(scope, input.setup_code);
  const asker = { source: sourceKey(scope.origin), account: input.email };
  const passwordHash = await hashNewPassword(input.password, 'password', asker);
  return runSerializable((tx) => createFirst(tx, scope, input, passwordHash));
}

/** Whether the installation has its first administrator, what making one takes, and whether it is a demo. */
export async function readSetupStatus(_scope: OpenScope): Promise<SetupStatus> {
  const demo = (await findSetting(db, DEMO_KEY)) !== null;
  if (await isSetupCompleted(db)) return { completed: true, setup_code_required: false, demo };
  return { completed: false, setup_code_required: (await requiredSetupCode()) !== null, demo };
}
