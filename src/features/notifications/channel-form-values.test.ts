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
    enabled: true,
    version: 3,
  });
  expect(
    NotificationChannelUpdate.safeParse(toChannelUpdate({ ...values, url: 'nonsense' }, { version: 3 })).success,
  ).toBe(false);
});

it('shows the message about one address at the box of all', () => {
  expect(channelFieldName('recipients.3')).toBe('recipients');
  expect(channelFieldName('url')).toBe('url');
});
