import type { LiveEvent } from '@/domain/live-event';
import type { Executor } from '../db/client';
import { notify } from './queries/events';

export const EVENT_CHANNEL = 'fabric_events';

/** Tells all web processes of a change, at the moment when the transaction that makes it commits. */
export async function publishEvent(tx: Executor, event: LiveEvent): Promise<void> {
  await notify(tx, EVENT_CHANNEL, JSON.stringify(event));
}
