import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from '@/domain/notifications/condition';
import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { bearer, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { getRunCount } from '@/test/thorough';
import { deliverNotification } from './deliver-notification';
import { fact, MINUTE, notificationLab, signal } from './testing/notification-lab.fixture';
import { startWebhookReceiver } from './testing/webhook-receiver.fixture';

const lab = notificationLab();
const sql = sqlClient();

type Template = 'pagerduty' | 'alertmanager' | 'fabric';
type Sent = { incident: string; kind: 'opened' | 'end'; accepted: boolean };

/** A channel with a receiver of its own that notes what it is sent about each incident, and refuses it during an outage. */
async function startChannel(template: Template) {
  const receiver = await startWebhookReceiver();
  const sent: Sent[] = [];
  let [status, accepting] = [204, 0];
  receiver.answer((response, { body }) => {
    const answer = accepting-- > 0 ? 204 : status;
    const note = (incident: string, over: boolean) =>
      sent.push({ incident, kind: over ? 'end' : 'opened', accepted: answer === 204 });
    if (Array.isArray(body))
      for (const { labels, endsAt } of body) note(labels.incident, Date.parse(endsAt) <= clock.now().getTime());
    else if (template === 'pagerduty') note(String(body.dedup_key), body.event_action === 'resolve');
    // This body has the first 50 incidents only: what is reported in greater numbers is not counted here.
    else if (body.condition === 'sync_failed')
      for (const one of body.incidents as { incident_id: string }[]) note(one.incident_id, body.event === 'closed');
    response.writeHead(answer).end();
  });
  const routing = template === 'pagerduty' ? { routing_key: 'R0123456789ABCDEF' } : {};
  const { id } = await lab.api<{ id: string }>('POST', '/notification-channels', {
    kind: 'webhook',
    name: `${template} ${newId()}`,
    template,
    url: receiver.url,
    ...routing,
  });
  const fail = (code: number, after = 0) => {
    [status, accepting] = [code, after];
  };
  return { id, sent, fail, kinds: () => sent.map(({ kind }) => kind), close: () => receiver.close() };
}
type Channel = Awaited<ReturnType<typeof startChannel>>;

async function withChannels<T extends readonly Template[]>(
  templates: T,
  run: (channels: { [K in keyof T]: Channel }, rule: string) => Promise<void>,
) {
  lab.time.restore();
  lab.time = fakeClock();
  const channels = await Promise.all(templates.map(startChannel));
  const { id } = await lab.api<{ id: string }>('POST', '/notification-rules', {
    name: `r ${newId()}`,
    conditions: ['sync_failed', 'agent_silent'],
    open_after_minutes: 0,
    close_after_minutes: 0,
    channel_ids: channels.map((channel) => channel.id),
  });
  await sql`update notification_rules set enabled = (id = ${id})`;
  try {
    await run(channels as { [K in keyof T]: Channel }, id);
  } finally {
    await Promise.all(channels.map((channel) => channel.close()));
    await sql`delete from notification_rules where id = ${id}`;
    await sql`delete from notifications`;
  }
}

const report = async (facts: Fact[]) => {
  lab.facts = facts;
  await lab.lookFor(1);
};
const retry = (id: string) => lab.api<NotificationDelivery>('POST', `/notification-deliveries/${id}/retry`);
const failed = () => lab.deliveries('?status=failed&limit=500');
const deliverAll = async () => {
  for (let round = 0; round < 4; round++) {
    await lab.deliverDue();
    lab.time.advance(65 * MINUTE);
  }
};
const many = (total: number) =>
  Array.from({ length: total }, (_, n) => fact(`many-${n}`, { condition: 'agent_silent', object_kind: 'agent' }));

describe('deliveries of one incident to one channel', () => {
  it('end with its end, and never consist of an end alone, whatever fails and is edited', async () => {
    const channel = fc.nat({ max: 2 });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ look: fc.nat({ max: 7 }), many: fc.integer({ min: 0, max: 4 }) }) },
      { weight: 4, arbitrary: fc.record({ send: fc.nat() }) },
      {
        weight: 2,
        arbitrary: fc.record({ outage: channel, status: fc.constantFrom(204, 404, 503), after: fc.nat(60) }),
      },
      { weight: 1, arbitrary: fc.record({ toggle: channel }) },
      { weight: 1, arbitrary: fc.record({ route: fc.nat({ max: 7 }) }) },
      { weight: 1, arbitrary: fc.record({ retry: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 120 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), (steps) =>
        withChannels(['pagerduty', 'alertmanager', 'fabric'] as const, async (channels, rule) => {
          for (const one of steps) {
            if ('look' in one) {
              const few = [0, 1, 2].filter((bit) => one.look & (1 << bit)).map((n) => fact(`few-${n}`));
              await report([...few, ...(one.many === 0 ? many(55) : [])]);
            } else if ('send' in one) {
              const due = await sql<{ id: string }[]>`select id from notification_deliveries
                where status in ('queued', 'sending') order by md5(id::text || ${one.send})`;
              for (const { id } of due) await deliverNotification(id, { signal });
            } else if ('outage' in one) channels[one.outage]?.fail(one.status, one.after);
            else if ('toggle' in one)
              await sql`update notification_channels set enabled = not enabled where id = ${channels[one.toggle]?.id ?? null}`;
            else if ('route' in one)
              await lab.api('PATCH', `/notification-rules/${rule}`, {
                channel_ids: channels.filter((_, n) => one.route & (1 << n)).map(({ id }) => id),
              });
            else if ('retry' in one) {
              const rows = await failed();
              const chosen = rows[one.retry % Math.max(1, rows.length)];
              if (chosen) await retry(chosen.id);
            } else lab.time.advance(one.wait * MINUTE);
          }
          // Every outage is over, everything is on, and an administrator tries again what failed.
          for (const { fail } of channels) fail(204);
          await sql`update notification_channels set enabled = true`;
          await report([]);
          await deliverAll();
          for (const { id } of await failed()) await retry(id).catch(() => undefined);
          await deliverAll();
          for (const [n, { sent }] of channels.entries()) {
            for (const incident of new Set(sent.map((entry) => entry.incident))) {
              const about = sent.filter((entry) => entry.incident === incident);
              // An alert of Alertmanager that is late has its end in it.
              if (n !== 1) expect(about[0]?.kind, `channel ${n}: first`).toBe('opened');
              expect(about.findLast(({ accepted }) => accepted)?.kind, `channel ${n}: last`).toBe('end');
            }
          }
        }),
      ),
      { numRuns: getRunCount(12, 100) },
    );
  });

  it('keep their order when the problem ends during an outage of the receiver', () =>
    withChannels(['pagerduty', 'alertmanager', 'fabric'] as const, async (channels) => {
      for (const { fail } of channels) fail(503);
      await report([fact('a')]);
      await lab.deliverDue();
      for (const { fail, sent } of channels) {
        fail(204);
        sent.length = 0;
      }
      await report([]);
      // The ends are due now, the problems are due later: the ends wait.
      await sql`update notification_deliveries set next_attempt_at = next_attempt_at + interval '5 minutes' where attempts > 0`;
      await lab.deliverDue();
      expect(channels.map(({ sent }) => sent)).toEqual([[], [], []]);
      await deliverAll();
      const [pager, , json] = channels;
      expect(pager.kinds()).toEqual(['opened', 'end', 'end']);
      expect(json.kinds().at(-1)).toBe('end');
    }));

  it('skip a problem that is over and whose end was sent', () =>
    withChannels(['fabric'] as const, async ([channel]) => {
      channel.fail(404);
      await report([fact('a'), fact('b')]);
      await lab.deliverDue();
      channel.fail(204);
      await report([fact('b')]);
      await deliverAll();
      const [opened] = await failed();
      channel.sent.length = 0;
      await retry(opened?.id ?? '');
      await deliverAll();
      // The one that still holds is reported by itself.
      expect(channel.sent).toMatchObject([{ kind: 'opened' }]);
      await report([]);
      await deliverAll();
      expect(channel.kinds()).toEqual(['opened', 'end']);
      await sql`update notification_deliveries set status = 'failed' where id = ${opened?.id ?? null}`;
      await retry(opened?.id ?? '');
      await deliverAll();
      expect(channel.kinds()).toEqual(['opened', 'end']);
      expect(await failed()).toMatchObject([{ error: expect.stringContaining('over') }]);
    }));

  it('leave no alert open when a problem is sent after its rule was deleted', () =>
    withChannels(['pagerduty', 'alertmanager'] as const, async (channels, rule) => {
      for (const { fail } of channels) fail(404);
      await report([fact('a')]);
      await lab.deliverDue();
      await lab.api('DELETE', `/notification-rules/${rule}`);
      for (const { fail } of channels) fail(204);
      for (const { id } of await failed()) await retry(id);
      await deliverAll();
      expect(channels.map(({ kinds }) => kinds().at(-1))).toEqual(['end', 'end']);
    }));

  it('reach a channel that the rule no longer uses, and no channel that was not sent the problem', () =>
    withChannels(['pagerduty', 'fabric'] as const, async ([pager, json], rule) => {
      const route = (channel: Channel) =>
        lab.api('PATCH', `/notification-rules/${rule}`, { channel_ids: [channel.id] });
      await route(pager);
      await report([fact('a')]);
      await route(json);
      await report([fact('a'), fact('b')]);
      await deliverAll();
      await report([]);
      await deliverAll();
      expect(pager.sent.map(({ incident, kind }) => [incident === pager.sent[0]?.incident, kind])).toEqual([
        [true, 'opened'],
        [true, 'end'],
      ]);
      expect(json.sent.map(({ incident, kind }) => [incident === json.sent[0]?.incident, kind])).toEqual([
        [true, 'opened'],
        [true, 'end'],
      ]);
    }));

  it('fail when the channel is turned off, and can be retried', () =>
    withChannels(['pagerduty'] as const, async ([pager]) => {
      const turn = (enabled: boolean) => lab.api('PATCH', `/notification-channels/${pager.id}`, { enabled });
      await report([fact('a')]);
      await deliverAll();
      await turn(false);
      await report([]);
      await deliverAll();
      const [end] = await failed();
      expect(end).toMatchObject({ event: 'closed', error: 'The channel is turned off.', attempts: 0 });
      await turn(true);
      await retry(end?.id ?? '');
      await deliverAll();
      expect(pager.kinds()).toEqual(['opened', 'end']);
    }));

  it('do not lead elsewhere than to those who may read the subject while a problem is open', () =>
    withChannels(['fabric'] as const, async ([channel], rule) => {
      const [role] = await sql<{ id: string }[]>`insert into roles (id, name, title, permissions)
        values (${newId()}, 'redirector', 'Notifier', '{notification:read,notification:write}') returning id`;
      const user = await makeUser();
      await sql`insert into role_assignments (id, user_id, role_id) values (${newId()}, ${user.id}, ${role?.id ?? null})`;
      const redirect = async () => {
        const init = { method: 'PATCH', headers: await bearer(user), body: { url: `${lab.receiver.url}&${newId()}` } };
        return (await call(`/notification-channels/${channel.id}`, init)).status;
      };
      await report([fact('a')]);
      await deliverAll();
      await lab.api('PATCH', `/notification-rules/${rule}`, { channel_ids: [] });
      expect(await redirect()).toBe(403);
      await report([]);
      await deliverAll();
      expect(channel.kinds()).toEqual(['opened', 'end']);
      expect(await redirect()).toBe(200);
    }));
});

describe('notices of many incidents', () => {
  it('trigger and resolve each of them, also if they do not end as they began', () =>
    withChannels(['pagerduty', 'alertmanager'] as const, async (channels) => {
      await report(many(30));
      await report(many(70));
      await deliverAll();
      await report([]);
      await deliverAll();
      for (const { sent } of channels) {
        expect(new Set(sent.filter(({ kind }) => kind === 'opened').map(({ incident }) => incident)).size).toBe(70);
        expect(new Set(sent.filter(({ kind }) => kind === 'end').map(({ incident }) => incident)).size).toBe(70);
      }
      const { items } = await lab.api<{ items: { items: unknown[]; items_total: number }[] }>('GET', '/notifications');
      expect(items.map((one) => [one.items.length, one.items_total])).toEqual([
        [50, 70],
        [40, 40],
        [30, 30],
      ]);
    }));

  it('continue after a failure with what the receiver did not accept yet', () =>
    withChannels(['pagerduty'] as const, async ([pager]) => {
      pager.fail(429, 30);
      await report(many(70));
      await lab.deliverDue();
      const [refused] = await lab.deliveries();
      expect(refused).toMatchObject({ status: 'queued', attempts: 1, response_status: 429 });
      pager.fail(204);
      await deliverAll();
      expect(pager.sent).toHaveLength(71);
      expect(await lab.deliveries()).toMatchObject([{ status: 'sent' }]);
    }));

  it('take as long as the receiver needs', () =>
    withChannels(['pagerduty'] as const, async ([pager]) => {
      await report(many(70));
      const push = pager.sent.push.bind(pager.sent);
      pager.sent.push = (...entries: Sent[]) => {
        lab.time.advance(2);
        return push(...entries);
      };
      await lab.deliverDue();
      const [partly] = await lab.deliveries();
      expect(partly).toMatchObject({ status: 'queued', attempts: 0, error: null });
      await deliverAll();
      expect(pager.sent).toHaveLength(70);
      expect(await lab.deliveries()).toMatchObject([{ status: 'sent' }]);
    }));
});
