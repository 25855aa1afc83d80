import { expect, it } from 'vitest';
import { NotificationChannelInput, NotificationChannelUpdate } from '@/domain/notifications/channel';
import { channelFieldName, EMPTY_CHANNEL, toChannelInput, toChannelUpdate } from './channel-form-values';

it('sends the address of its kind only', () => {
  const values = {
    ...EMPTY_CHANNEL,
    name: 'Chat',
    url: 'https://example.org/x',
    recipients: 'a@example.org,\nB@example.org ',
  };
  expect(NotificationChannelInput.parse(toChannelInput(values))).toEqual({
    name: 'Chat',
    kind: 'webhook',
    url: 'https://example.org/x',
    template: 'fabric',
    time_zone: null,
    enabled: true,
  });
  expect(NotificationChannelInput.parse(toChannelInput({ ...values, kind: 'email' }))).toMatchObject({
    kind: 'email',
    recipients: ['a@example.org', 'b@example.org'],
  });
});

it('leaves a URL alone that was not entered', () => {
  const values = { ...EMPTY_CHANNEL, name: 'Chat', url: ' ' };
  expect(NotificationChannelUpdate.parse(toChannelUpdate(values, { version: 3 }))).toEqual({
    name: 'Chat',
    template: 'fabric',
    time_zone: null,
    enabled: true,
    version: 3,
  });
  expect(
    NotificationChannelUpdate.safeParse(toChannelUpdate({ ...values, url: 'nonsense' }, { version: 3 })).success,
  ).toBe(false);
});

it('sends an integration key to PagerDuty only', () => {
  const values = { ...EMPTY_CHANNEL, name: 'Pager', url: 'https://events.pagerduty.com/v2/enqueue', routing_key: 'k' };
  expect(toChannelInput({ ...values, template: 'slack' })).not.toHaveProperty('routing_key');
  expect(toChannelInput({ ...values, template: 'pagerduty' })).toHaveProperty('routing_key', 'k');
  expect(toChannelUpdate({ ...values, template: 'pagerduty', routing_key: '' }, { version: 1 })).not.toHaveProperty(
    'routing_key',
  );
  expect(
    NotificationChannelInput.safeParse(toChannelInput({ ...values, template: 'pagerduty', routing_key: '' })).error
      ?.issues,
  ).toMatchObject([{ path: ['routing_key'] }]);
});

it('shows the message about one address at the box of all', () => {
  expect(channelFieldName('recipients.3')).toBe('recipients');
  expect(channelFieldName('url')).toBe('url');
});
