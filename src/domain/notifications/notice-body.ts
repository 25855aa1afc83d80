import type { Condition } from './condition';
import { localTime, withLocalTimes } from './local-time';
import { plainLine } from './notice-text';
import { MAX_ITEMS, type NotificationEvent, type NotificationItem } from './notification';
import { objectPage } from './object-page';

/** A stored notice, with the fields that channels receive. */
export type Notice = {
  readonly id: string;
  readonly tenant_id: string | null;
  readonly rule_id: string | null;
  readonly rule_name: string | null;
  readonly event: NotificationEvent;
  readonly condition: Condition | null;
  readonly title: string;
  readonly detail: string;
  readonly items: readonly NotificationItem[];
  readonly items_total: number;
  readonly created_at: string;
};

/** Where a notice leads: to the one thing that it is about, or to the list. Null when the service's address is not known. */
export function getNoticeLink(notice: Notice, publicUrl: string | null): string | null {
  if (publicUrl === null) return null;
  const [only] = notice.items;
  return `${publicUrl}${only && notice.items_total === 1 ? objectPage(only) : '/notifications'}`;
}

const lines = (...texts: (string | null)[]) => texts.filter((text) => text !== null && text !== '').join('\n');

/** The JSON that a webhook without a template is sent. `text` is what chat systems show of it: its times are those of `zone`. */
export function webhookBody(notice: Notice, publicUrl: string | null, zone: string): Record<string, unknown> {
  const url = getNoticeLink(notice, publicUrl);
  const at = `At: ${localTime(notice.created_at, zone)}`;
  return {
    id: notice.id,
    event: notice.event,
    condition: notice.condition,
    title: notice.title,
    detail: notice.detail,
    text: lines(notice.title, withLocalTimes(notice.detail, zone), url, at),
    url,
    tenant_id: notice.tenant_id,
    rule: notice.rule_id === null ? null : { id: notice.rule_id, name: notice.rule_name },
    incidents: notice.items.slice(0, MAX_ITEMS).map((item) => ({
      ...item,
      url: publicUrl === null ? null : `${publicUrl}${objectPage(item)}`,
    })),
    incidents_total: notice.items_total,
    created_at: notice.created_at,
  };
}

/** Subject and text of an email; plain text, because names come from clusters. */
export function formatNoticeMail(
  notice: Notice,
  publicUrl: string | null,
  zone: string,
): { subject: string; text: string } {
  const url = getNoticeLink(notice, publicUrl);
  const at = `At: ${localTime(notice.created_at, zone)}`;
  const because = notice.rule_name === null ? null : `Rule: ${plainLine(notice.rule_name, 100)}`;
  return {
    subject: `[Fabric] ${plainLine(notice.title, 200)}`,
    text: `${lines(notice.title, '', withLocalTimes(notice.detail, zone))}\n\n${lines(url, because, at)}\n`,
  };
}
