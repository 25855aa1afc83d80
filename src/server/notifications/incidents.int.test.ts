import { describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { pruneExpired } from '@/server/operation/retention';
import { fact, MINUTE, notificationLab } from './testing/notification-lab.fixture';

const lab = notificationLab();
const sql = sqlClient();

describe('incidents', () => {
  it('open after their delay, notify once, and notify once more when they are over', async () => {
    lab.facts = [fact(newId())];
    await lab.lookFor(5);
    expect(await lab.incidents()).toMatchObject([{ status: 'pending', opened_at: null }]);
    expect(await lab.deliveries()).toEqual([]);
    await lab.lookFor(10);
    expect(await lab.incidents()).toMatchObject([{ status: 'open', clear_since: null, flaps: 0 }]);
    expect(await lab.deliveries()).toMatchObject([{ event: 'opened', status: 'queued', attempts: 0 }]);
    lab.facts = [];
    await lab.lookFor(10);
    expect(await lab.incidents()).toMatchObject([{ status: 'closed' }]);
    expect((await lab.deliveries()).map(({ event }) => event)).toEqual(['closed', 'opened']);
    await lab.lookFor(10);
    expect(await lab.deliveries()).toHaveLength(2);
  });

  it('change in the database only when something changes', async () => {
    lab.facts = [fact(newId()), fact(newId())];
    await lab.lookFor(6);
    const versions = () => sql`select xmin::text, id from notification_incidents order by id`;
    const before = await versions();
    await lab.lookFor(30);
    expect(await versions()).toEqual(before);
  });

  it('share one notification with the total number when they open at the same time', async () => {
    lab.facts = Array.from({ length: 70 }, () => fact(newId()));
    await lab.lookFor(6);
    await lab.deliverDue();
    expect(lab.receiver.received).toHaveLength(1);
    const body = lab.receiver.received[0]?.body ?? {};
    expect(body).toMatchObject({ event: 'opened', condition: 'sync_failed', incidents_total: 70 });
    expect(body.title).toBe('Syncs of 70 clusters failed');
    expect(body.incidents).toHaveLength(50);
    expect(await lab.incidents('&status=open&limit=500')).toHaveLength(70);
  });

  it('count once while they flap', async () => {
    const flapping = fact(newId());
    for (let round = 0; round < 20; round++) {
      lab.facts = round % 2 === 0 ? [flapping] : [];
      await lab.lookFor(1);
    }
    expect((await lab.deliveries()).map(({ event }) => event)).toEqual(['opened']);
    expect((await lab.incidents())[0]?.flaps).toBeGreaterThan(5);
  });

  it('stay unchanged while no data can be read, and over a restart', async () => {
    lab.facts = [fact(newId())];
    await lab.lookFor(6);
    lab.facts = [];
    lab.unreadable = new Set(['sync_failed']);
    await lab.lookFor(30);
    expect(await lab.incidents()).toMatchObject([{ status: 'open', clear_since: null }]);
    // The service was down for hours; it is over by then.
    lab.time.advance(10 * 3600);
    lab.unreadable = new Set();
    await lab.look();
    expect(await lab.incidents()).toMatchObject([{ status: 'open' }]);
    await lab.lookFor(3);
    expect(await lab.incidents()).toMatchObject([{ status: 'closed' }]);
    expect(await lab.deliveries()).toHaveLength(2);
  });

  it('notify once when two schedulers evaluate at the same time', async () => {
    lab.facts = [fact(newId())];
    await lab.lookFor(4);
    lab.time.advance(MINUTE * 2);
    await Promise.all(Array.from({ length: 8 }, lab.look));
    expect(await lab.deliveries()).toHaveLength(1);
    expect(await lab.incidents()).toHaveLength(1);
  });

  it('end without a notice when the rule is switched off, and their log outlives the rule', async () => {
    lab.facts = [fact(newId())];
    await lab.lookFor(6);
    await lab.api('PATCH', `/notification-rules/${lab.rule.id}`, { enabled: false });
    expect(await lab.incidents()).toMatchObject([{ status: 'closed' }]);
    await lab.lookFor(5);
    expect(await lab.deliveries()).toHaveLength(1);
    await lab.api('DELETE', `/notification-rules/${lab.rule.id}`);
    expect(await lab.incidents()).toEqual([]);
    expect(await lab.deliveries()).toMatchObject([{ event: 'opened', rule_name: expect.stringMatching(/^r /) }]);
  });

  it('end without a notice when the rule looks at something else', async () => {
    lab.facts = [fact(newId()), fact(newId(), { condition: 'agent_silent', object_kind: 'agent' })];
    await lab.lookFor(6);
    await lab.api('PATCH', `/notification-rules/${lab.rule.id}`, { conditions: ['agent_silent'] });
    expect((await lab.incidents()).map(({ condition, status }) => `${condition} ${status}`).sort()).toEqual([
      'agent_silent open',
      'sync_failed closed',
    ]);
    expect(await lab.deliveries()).toHaveLength(2);
  });

  it('close without a notice when the rule tells no recovery', async () => {
    await lab.api('PATCH', `/notification-rules/${lab.rule.id}`, { notify_recovery: false });
    lab.facts = [fact(newId())];
    await lab.lookFor(6);
    lab.facts = [];
    await lab.lookFor(5);
    expect(await lab.incidents()).toMatchObject([{ status: 'closed' }]);
    expect(await lab.deliveries()).toHaveLength(1);
  });

  it('go with what they told after 90 days', async () => {
    lab.facts = [fact(newId())];
    await lab.lookFor(6);
    lab.facts = [];
    await lab.lookFor(5);
    expect(await pruneExpired()).toMatchObject({ notifications: 0, notification_incidents: 0 });
    lab.time.advance(91 * 86_400);
    expect(await pruneExpired()).toMatchObject({ notifications: 2, notification_incidents: 1 });
    expect(await sql`select 1 from notification_deliveries`).toHaveLength(0);
  });
});
