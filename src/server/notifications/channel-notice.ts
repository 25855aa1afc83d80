import { noticeText } from '@/domain/notifications/notice-text';
import type { NotificationItem } from '@/domain/notifications/notification';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { DeliveryError } from '../providers/net/delivery-error';
import { type DeliveryRow, listEndedIncidents, listSentIncidents } from './queries/notification-deliveries';
import { listIncidentEnds } from './queries/notification-incidents';
import type { NotificationRow } from './queries/notifications';

/** A notice with some of its incidents only, and the text of these. */
function keepItems(notice: NotificationRow, items: NotificationItem[]): NotificationRow {
  const omitted = notice.items.length - items.length;
  const { event, condition } = notice;
  if (omitted === 0 || condition === null || event === 'test') return { ...notice, items };
  const items_total = notice.items_total - omitted;
  return { ...notice, ...noticeText(condition, event, items, items_total), items, items_total };
}

/** A problem with the ends that its incidents have by now, without those whose end the channel was sent. */
async function selectOpened(delivery: DeliveryRow, notice: NotificationRow): Promise<NotificationRow> {
  const ended = await listEndedIncidents(db, delivery);
  const ends = await listIncidentEnds(
    db,
    notice.items.map((item) => item.incident_id),
  );
  // What was deleted with its rule is over as well.
  const gone = clock.now().toISOString();
  const items = notice.items
    .filter((item) => !ended.has(item.incident_id))
    .map((item) => ({ ...item, closed_at: ends.has(item.incident_id) ? (ends.get(item.incident_id) ?? null) : gone }));
  if (items.length > 0) return keepItems(notice, items);
  throw new DeliveryError('The problem is over, and the channel was sent its end.', { retry: false });
}

/** An end without the incidents that the channel was never sent. */
async function selectClosed(delivery: DeliveryRow, notice: NotificationRow, step: number): Promise<NotificationRow> {
  const sent = await listSentIncidents(db, delivery, step);
  const items = notice.items.filter((item) => sent.has(item.incident_id));
  if (items.length > 0) return keepItems(notice, items);
  throw new DeliveryError('The channel was not sent the problem. Try its delivery again first.', { retry: false });
}

/**
 * A notice as one channel is sent it: the last that a channel is sent about an incident is its end, and it is sent no end of
 * what it was not sent, in steps of so many incidents.
 * @throws DeliveryError when nothing is left to send
 */
export async function selectChannelNotice(
  delivery: DeliveryRow,
  notice: NotificationRow,
  step: number,
): Promise<NotificationRow> {
  if (notice.event === 'test') return notice;
  return notice.event === 'opened' ? selectOpened(delivery, notice) : selectClosed(delivery, notice, step);
}
