import { HEAVY_ELSEWHERE, LANES, type Lane } from '@/domain/heavy-operations';
import type { Actor } from '../auth/scope';
import { withDatabaseUse } from '../db/client';
import { AppError } from '../lib/errors';
import { countRefusedWork, setHeavyWork } from '../lib/metrics';
import { type Asker, FairGate, type GateLimits, type GateTexts } from './fair-gate';

/** A page with a map or a dashboard sends three or four requests concurrently; twelve calls are one batch. */
const QUEUE = { waiting_per_tenant: 60, waiting_per_account: 24, wait_ms: 20_000 };
const LIMITS: Record<Lane, GateLimits> = {
  compute: { running: 3, per_tenant: 2, per_account: 2, ...QUEUE },
  // One place of a tenant is always left for what takes milliseconds.
  evaluate: { running: 2, per_tenant: 1, per_account: 1, ...QUEUE },
  // A slow reader holds a slot for minutes, but little else.
  export: {
    running: 6,
    per_tenant: 3,
    per_account: 2,
    waiting_per_tenant: 12,
    waiting_per_account: 4,
    wait_ms: 20_000,
  },
};

const TEXTS: GateTexts = {
  queue_full: 'Too many heavy requests from this account or tenant are queued. Send fewer concurrent requests.',
  waited_too_long: 'The server is busy with other heavy requests. Try again in a few seconds.',
};

const createGate = (lane: Lane): FairGate =>
  new FairGate(LIMITS[lane], TEXTS, ({ refused, ...state }) => {
    setHeavyWork(lane, state);
    if (refused) countRefusedWork(lane, refused);
  });
const gates = Object.fromEntries(LANES.map((lane) => [lane, createGate(lane)])) as Record<Lane, FairGate>;

/** What limits count by: the account (its API tokens are not others) and the tenants or projects in which it may do this. */
type Admitted = { readonly actor: Actor; readonly reach: unknown };
const toAsker = ({ actor, reach }: Admitted): Asker => ({
  account: actor.id ?? actor.name,
  tenant: JSON.stringify(reach),
});

/** Answers a request; one that only reads has connections of its own and a short limit for each statement. */
export const withRequestDatabase = <T>(method: string, work: () => Promise<T>): Promise<T> =>
  method === 'GET' || method === 'HEAD' ? withDatabaseUse('reads', work) : work();

/** The entry of the web process sends heavy requests to its thread by their address. @throws AppError `malformed` for what got past it */
function assertHeavyThread(): void {
  if (Reflect.get(globalThis, HEAVY_ELSEWHERE) !== true) return;
  throw new AppError('malformed', 'The URL contains unnecessary percent-encoding. Send it without the encoding.');
}

/** Waits for a place in a lane; what evaluates then waits for one of those that compute, too. @returns what gives them back */
async function enter(lane: Lane, scope: Admitted, signal: AbortSignal | null): Promise<() => void> {
  const leave = await gates[lane].enter(toAsker(scope), signal);
  if (lane !== 'evaluate') return leave;
  try {
    const leaveInner = await gates.compute.enter(toAsker(scope), signal);
    return () => {
      leaveInner();
      leave();
    };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Runs heavy work when its turn comes. @throws AppError `too_many_requests` */
export async function admit<T>(
  lane: Lane,
  scope: Admitted,
  signal: AbortSignal | null,
  work: () => Promise<T>,
): Promise<T> {
  assertHeavyThread();
  const leave = await enter(lane, scope, signal);
  try {
    return await withDatabaseUse('heavy', work);
  } finally {
    leave();
  }
}

/**
 * Like `admit`, but the answer may be a stream, which holds the slot until it is read fully, canceled or abandoned.
 * @throws AppError `too_many_requests`
 */
export async function admitResponse(
  lane: Lane,
  scope: Admitted,
  signal: AbortSignal | null,
  work: () => Promise<unknown>,
): Promise<unknown> {
  assertHeavyThread();
  const leave = await enter(lane, scope, signal);
  try {
    const answer = await withDatabaseUse('heavy', work);
    if (answer instanceof Response && answer.body) {
      const { status, headers } = answer;
      return new Response(releaseOnEnd(answer.body, leave), { status, headers });
    }
    leave();
    return answer;
  } catch (error) {
    leave();
    throw error;
  }
}

/** For so long a reader may take nothing (ms): it holds a place that others wait for. */
const STALL_MS = 60_000;

/** The same stream, which reports when it is no longer read, and ends when its reader stalls. */
function releaseOnEnd(body: ReadableStream<Uint8Array>, leave: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let stalled: NodeJS.Timeout | undefined;
  const watch = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    stalled = setTimeout(() => {
      leave();
      const reason = new Error('the client stopped reading');
      controller.error(reason);
      reader.cancel(reason).catch(() => {});
    }, STALL_MS);
  };
  return new ReadableStream<Uint8Array>(
    {
      start: watch,
      async pull(controller) {
        clearTimeout(stalled);
        try {
          const { done, value } = await reader.read();
          if (!done) {
            watch(controller);
            return controller.enqueue(value);
          }
          leave();
          controller.close();
        } catch (error) {
          leave();
          controller.error(error);
        }
      },
      async cancel(reason) {
        clearTimeout(stalled);
        leave();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
