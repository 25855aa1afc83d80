import type { ForwardingTestResult } from '@/domain/forwarding/destination';
import { encodeIpfixTest } from '@/domain/forwarding/ipfix';
import { createTestEvent } from '@/domain/forwarding/record';
import { recordAudit } from '../audit/record';
import { countInWindow } from '../auth/queries/rate-limits';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { DeliveryError } from '../providers/net/delivery-error';
import { readDestinationRow } from './destinations';
import { openExport } from './export-conversations';
import type { DestinationRow } from './queries/forwarding-destinations';
import { listStreams } from './queries/forwarding-streams';
import { getForwardingHost } from './run-forwarding';
import { buildPayload, sendPayload } from './send-records';

/** Tests per user and minute. */
const MOST_IN_WINDOW = 10;
const WINDOW_SECONDS = 60;

/** Sends all templates, and an options record that says how many data records were sent so far. @throws DeliveryError */
async function sendIpfixTest(row: DestinationRow, at: string): Promise<void> {
  const streams = await listStreams(db, row.id);
  const total = streams.flatMap(({ sequences }) => Object.values(sequences)).reduce((sum, count) => sum + count, 0);
  const datagrams = await openExport(row, encodeIpfixTest(Math.floor(Date.parse(at) / 1000), total));
  datagrams.close();
}

/**
 * Sends one record of the type `test`, whether the destination is enabled or not, and waits for the receiver; with IPFIX, for a refusal.
 * @throws AppError `not_found`, `too_many_requests`
 */
export async function testDestination(scope: Scope<'*'>, id: string): Promise<ForwardingTestResult> {
  const row = await readDestinationRow(scope, id);
  const at = clock.now().toISOString();
  await db.transaction(async (tx) => {
    const key = `forwarding_test:${scope.actor.id ?? scope.actor.name}`;
    if ((await countInWindow(tx, key, WINDOW_SECONDS, at)) > MOST_IN_WINDOW) {
      throw new AppError(
        'too_many_requests',
        `At most ${MOST_IN_WINDOW} test records per minute. Try again in a moment.`,
        { retryAfterSeconds: WINDOW_SECONDS },
      );
    }
    await recordAudit(tx, scope, {
      action: 'forwarding_destination.tested',
      object_kind: 'forwarding_destination',
      object_id: id,
      object_name: row.name,
      tenant_id: null,
    });
  });
  const record_id = row.kind === 'ipfix' ? null : newId();
  try {
    if (record_id === null) await sendIpfixTest(row, at);
    else {
      const record = createTestEvent(await getForwardingHost(), record_id, at, scope.actor.name);
      await sendPayload(row, buildPayload(row, [record]).bytes);
    }
    return { is_sent: true, is_confirmed: record_id !== null, record_id, error: null };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return { is_sent: false, is_confirmed: false, record_id, error: error.message };
  }
}
