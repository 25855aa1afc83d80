import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { db, sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { deleteOldIncidents, deleteOldNotifications } from '../operation/queries/expired';
import { type ReceivedMail, startSmtpReceiver } from '../providers/notifications/smtp-receiver.fixture';
import { deliverNotification } from './deliver-notification';
import { fact, MINUTE, notificationLab, signal } from './testing/notification-lab.fixture';

const lab = notificationLab();
const DAY = 24 * 60 * MINUTE;
const [ALICE, BOB] = ['alice@example.org', 'bob@example.org'];

const readSubject = ({ raw }: ReceivedMail) => /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(raw)?.[1] ?? '';

describe('deliveries by email', () => {
  it('need a mail server, and then go to all recipients with a link', async () => {
    const smtp = await startSmtpReceiver({ disabledCommands: ['STARTTLS'] });
    try {
      const mail = await lab.api<{ id: string }>('POST', '/notification-channels', {
        kind: 'email',
        name: 'mail',
        recipients: ['ops@example.org', 'night@example.org'],
      });
      const first = await lab.api<NotificationDelivery>('POST', `/notification-channels/${mail.id}/test`);
      await deliverNotification(first.id, { signal });
      const [failed] = await lab.deliveries(`?channel_id=${mail.id}`);
      expect(failed).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('No mail server is configured'),
      });
      await lab.api('PATCH', '/settings/notifications', {
        public_url: 'https://fabric.example.org',
        smtp_host: '127.0.0.1',
        smtp_port: smtp.port,
        smtp_security: 'none',
        from_address: 'fabric@example.org',
      });
      await lab.api('POST', `/notification-deliveries/${first.id}/retry`);
      await deliverNotification(first.id, { signal });
      const [sent] = await lab.deliveries(`?channel_id=${mail.id}`);
      expect(sent).toMatchObject({ status: 'sent', response_status: 250 });
      expect(smtp.mails).toMatchObject([{ to: ['ops@example.org', 'night@example.org'] }]);
      // Long lines are sent as quoted-printable, which breaks them with "=" at the end.
      expect(smtp.mails[0]?.raw.replaceAll(/=\r?\n/g, '')).toMatch(
        /Subject: \[Fabric\] Test notification[\s\S]*https:\/\/fabric\.example\.org\/notifications/,
      );
    } finally {
      await smtp.close();
    }
  });

  it('try recipients again that the server refuses for a time, without the others, and name them when they fail', async () => {
    const answers: Record<string, number> = { 'grey@example.org': 450, 'gone@example.org': 550 };
    const smtp = await startSmtpReceiver({
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, callback) => {
        const responseCode = answers[address];
        callback(responseCode === undefined ? null : Object.assign(new Error('refused'), { responseCode }));
      },
    });
    try {
      await lab.api('PATCH', '/settings/notifications', {
        ...{ smtp_host: '127.0.0.1', smtp_port: smtp.port, smtp_security: 'none', from_address: 'fabric@example.org' },
      });
      const mail = await lab.api<{ id: string }>('POST', '/notification-channels', {
        ...{ kind: 'email', name: 'mail', recipients: ['ops@example.org', 'grey@example.org', 'gone@example.org'] },
      });
      const sendTest = async () => {
        const test = await lab.api<NotificationDelivery>('POST', `/notification-channels/${mail.id}/test`);
        await deliverNotification(test.id, { signal });
        return test.id;
      };
      const read = (id: string) => lab.api<NotificationDelivery>('GET', `/notification-deliveries/${id}`);
      const names = (error: string) => ({ error: expect.stringContaining(error) });

      const first = await sendTest();
      expect(await read(first)).toMatchObject({ status: 'queued', response_status: 450, ...names('grey@example.org') });
      delete answers['grey@example.org'];
      lab.time.advance(30);
      await deliverNotification(first, { signal });
      expect(await read(first)).toMatchObject({ status: 'sent', response_status: 250, ...names('gone@example.org') });
      expect(smtp.mails.map(({ to }) => to)).toEqual([['ops@example.org'], ['grey@example.org']]);

      smtp.mails.length = 0;
      answers['grey@example.org'] = 451;
      const second = await sendTest();
      for (let attempt = 1; attempt < 8; attempt++) {
        lab.time.advance(3600);
        await deliverNotification(second, { signal });
      }
      expect(await read(second)).toMatchObject({ status: 'failed', attempts: 8, ...names('grey@example.org') });
      expect(smtp.mails.map(({ to }) => to)).toEqual([['ops@example.org']]);
      delete answers['grey@example.org'];
      await lab.api('POST', `/notification-deliveries/${second}/retry`);
      await deliverNotification(second, { signal });
      expect(await read(second)).toMatchObject({ status: 'sent' });
      expect(smtp.mails.map(({ to }) => to)).toEqual([['ops@example.org'], ['grey@example.org']]);
    } finally {
      await smtp.close();
    }
  });
});

describe('mails about one incident', () => {
  /** What the server answers to a recipient instead of taking the mail. */
  const answers = new Map<string, number>();
  let smtp: Awaited<ReturnType<typeof startSmtpReceiver>>;
  let channelId: string;
  beforeEach(async () => {
    answers.clear();
    smtp = await startSmtpReceiver({
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, callback) => {
        const responseCode = answers.get(address);
        callback(responseCode === undefined ? null : Object.assign(new Error('refused'), { responseCode }));
      },
    });
    await lab.api('PATCH', '/settings/notifications', {
      ...{ smtp_host: '127.0.0.1', smtp_port: smtp.port, smtp_security: 'none', from_address: 'fabric@example.org' },
    });
    const mail = { kind: 'email', name: 'mail', recipients: [ALICE, BOB] };
    ({ id: channelId } = await lab.api<{ id: string }>('POST', '/notification-channels', mail));
    await lab.api('PATCH', `/notification-rules/${lab.rule.id}`, {
      ...{ channel_ids: [channelId], open_after_minutes: 0, close_after_minutes: 0 },
    });
  });
  afterEach(() => smtp.close());

  /** What each recipient was sent, in order. */
  const listReceived = (recipient: string) =>
    smtp.mails
      .filter(({ to }) => to.includes(recipient))
      .map((mail) => (readSubject(mail).includes('works again') ? 'end' : 'problem'));
  const begin = async (keys = ['a']) => {
    lab.facts = keys.map((key) => fact(key));
    await lab.lookFor(1);
    await lab.deliverDue();
  };
  const end = async () => {
    lab.facts = [];
    await lab.lookFor(1);
    await lab.deliverDue();
  };
  const passHours = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      lab.time.advance(65 * MINUTE);
      await lab.deliverDue();
    }
  };
  const retry = async (event: string) => {
    const [row] = await sqlClient()<{ id: string }[]>`select d.id from notification_deliveries d
      join notifications n on n.id = d.notification_id where d.status = 'failed' and n.event = ${event}`;
    await lab.api('POST', `/notification-deliveries/${row?.id}/retry`);
    await lab.deliverDue();
  };

  it('end for those who have the beginning, also while another recipient is refused', async () => {
    answers.set(BOB, 452);
    await begin();
    await end();
    expect(listReceived(ALICE)).toEqual(['problem', 'end']);
    await passHours(9);
    answers.clear();
    await passHours(1);
    expect(listReceived(ALICE)).toEqual(['problem', 'end']);
    expect(listReceived(BOB)).not.toContain('problem');
  });

  it('never end with the beginning for a recipient, when one that failed is tried again after the end', async () => {
    answers.set(ALICE, 550).set(BOB, 550);
    await begin();
    answers.delete(ALICE);
    answers.set(BOB, 450);
    await end();
    answers.clear();
    await retry('opened');
    await passHours(1);
    for (const recipient of [ALICE, BOB]) expect(listReceived(recipient).at(-1)).not.toBe('problem');
  });

  it('end for those who have the beginning, also when it is tried again without reaching anyone', async () => {
    answers.set(BOB, 450);
    await begin();
    await passHours(9);
    await lab.api('PATCH', `/notification-channels/${channelId}`, { enabled: false });
    await retry('opened');
    await lab.api('PATCH', `/notification-channels/${channelId}`, { enabled: true });
    await end();
    expect(listReceived(ALICE)).toEqual(['problem', 'end']);
  });

  it.each([
    ['is kept until it is over', () => deleteOldNotifications],
    ['was deleted by an earlier release', () => () => sqlClient()`delete from notifications`],
  ])('end after months: their notice %s', async (_what, getCleaning) => {
    await begin();
    lab.time.advance(91 * DAY);
    const cutoff = new Date(clock.now().getTime() - 90 * DAY * 1000).toISOString();
    await getCleaning()(db, cutoff);
    await deleteOldIncidents(db, cutoff);
    await end();
    expect(listReceived(ALICE)).toEqual(['problem', 'end']);
    lab.time.advance(91 * DAY);
    const later = new Date(clock.now().getTime() - 90 * DAY * 1000).toISOString();
    await deleteOldNotifications(db, later);
    expect(await sqlClient()`select 1 from notifications where event <> 'test'`).toEqual([]);
  });

  it('end all incidents of a notice of which an earlier release kept only the first', async () => {
    await begin(['a', 'b', 'c']);
    await sqlClient()`update notifications set items = jsonb_path_query_array(items, '$[0 to 1]')`;
    await end();
    const [last] = smtp.mails.slice(-1);
    expect(last && readSubject(last)).toContain('3 clusters');
  });
});
