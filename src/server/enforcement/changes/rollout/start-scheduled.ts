import type { StoredApplyRequest } from '@/domain/change/rollout';
import { computeReach, isWithinReach } from '@/domain/permissions';
import { readUserSession } from '../../../access/sign-in/read-session';
import { authorizeIfGranted, systemScope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import { forEachConcurrent } from '../../../lib/for-each-concurrent';
import { NO_TEST_RIGHTS, type TestRights } from '../../policy-tests/apply-gate';
import { listUnderWayChanges } from '../../queries/change-rollouts';
import { findChange, listChangeOwners, lockChange, updateChangeIn } from '../../queries/changes';
import { publishChange, recordChange } from '../transition';
import { advanceChange } from './advance-change';
import { startRollout } from './apply-change';
import { checkScheduled, compileToApply, findStart } from './apply-checks';

const PERMISSION = 'policy:apply';
const scope = systemScope(PERMISSION, 'change schedule');

/** Who asked for the apply may still do it. Returns what they may do about tests. @throws AppError `forbidden` */
async function readStillPermitted(
  id: string,
  { by }: StoredApplyRequest,
): Promise<Pick<TestRights, 'override' | 'protect'>> {
  // The system needs no permission, and overrides nothing.
  if (by.id === '') return NO_TEST_RIGHTS;
  const session = await readUserSession(by.id, { request_id: id, source_address: null });
  if (!session) throw new AppError('forbidden', `${by.name}, who applied the change, is not an active user any more.`);
  const reach = computeReach(session.grants, PERMISSION);
  const owners = await listChangeOwners(db, id);
  if (!owners.every((owner) => isWithinReach(owner, reach))) {
    throw new AppError('forbidden', `${by.name}, who applied the change, lacks the permission ${PERMISSION} by now.`);
  }
  return {
    override: authorizeIfGranted(session, 'policy_test:override'),
    protect: authorizeIfGranted(session, 'policy_test:protect'),
  };
}

/**
 * Starts a change whose time has come, on behalf of the one who asked for it. What has to hold is checked again; if it does not, the
 * change says why and is not started.
 */
async function startScheduled(id: string): Promise<void> {
  const change = await findChange(db, 'all', id);
  const request = change?.apply_request;
  if (!change || !request) return;
  const start = await findStart(change);
  if (start === null || start > clock.now()) return;
  const by = { ...scope, actor: { kind: 'user', ...request.by } as const };
  try {
    const rights = await readStillPermitted(id, request);
    const { compiled, fingerprints } = await compileToApply(change, request.fingerprint);
    await checkScheduled(change, compiled, request, rights);
    const accepted = { ...request, break_glass: null, fingerprints };
    await startRollout(by, id, change.version, compiled, accepted, request.at);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problem = { code: 'not_started', message: error.message, remedy: 'Solve this, then apply the change again.' };
    await db.transaction(async (tx) => {
      const locked = await lockChange(tx, 'all', id);
      // Another request came first, or the change is not to be applied any more.
      if (locked?.apply_request?.at !== request.at) return;
      const stored = await updateChangeIn(tx, id, 'approved', { apply_request: null, problems: [problem] });
      if (!stored) return;
      await publishChange(tx, id);
      await recordChange(tx, scope, stored, 'change.not_started', { reason: error.message });
    });
  }
}

/** A change that takes long delays no other's timer. */
const AT_ONCE = 4;

type UnderWay = Awaited<ReturnType<typeof listUnderWayChanges>>[number];

async function advanceEach(
  found: readonly UnderWay[],
  signal: AbortSignal,
  advance: (id: string) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  await forEachConcurrent(found, AT_ONCE, signal, async ({ id }) => {
    try {
      await advance(id);
    } catch (error) {
      errors.push(new Error(`change ${id} cannot be advanced`, { cause: error }));
    }
  });
  if (errors.length > 0) throw new AggregateError(errors, 'some changes cannot be advanced');
}

const isWaiting = ({ state }: UnderWay): boolean => state === 'approved';

/**
 * Advances every change that is under way. One query when there is none.
 * @throws AggregateError when some could not be advanced; a failure of one never delays the timer of another
 */
export async function scheduleChanges(signal: AbortSignal): Promise<void> {
  const found = await listUnderWayChanges(db);
  await advanceEach(
    found.filter((change) => !isWaiting(change)),
    signal,
    advanceChange,
  );
}

/**
 * Starts every change whose time has come. Apart from `scheduleChanges`: what is checked before a start can take many seconds, and
 * would delay timers. One query when none waits.
 * @throws AggregateError when some could not be started
 */
export async function startScheduledChanges(signal: AbortSignal): Promise<void> {
  const found = await listUnderWayChanges(db);
  await advanceEach(found.filter(isWaiting), signal, startScheduled);
}
