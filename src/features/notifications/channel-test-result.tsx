import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { type ChannelTest, hasEnded } from './use-channel-test';

const ADVICE = {
  none: msg('Check the URL, the DNS name and the firewall between Fabric and the receiver.'),
  moved: msg('Enter the address to which the receiver redirects.'),
  format: msg('Choose the template of the receiver, and compare the preview with what it accepts.'),
  refused: msg('The receiver does not accept the secret in the URL or the integration key. Enter it again.'),
  gone: msg('The URL does not exist there. Create the webhook again and enter its URL.'),
  busy: msg('The receiver has a problem or limits requests. Fabric retries.'),
  mail: msg('Check the mail server under Email, and the recipients.'),
} as const;

/** What to do about a test that failed, by how the receiver answered. */
export function getTestAdvice({ channel_kind, response_status: status }: NotificationDelivery): string {
  if (channel_kind === 'email') return ADVICE.mail;
  if (status === null) return ADVICE.none;
  if (status >= 300 && status < 400) return ADVICE.moved;
  if (status === 401 || status === 403) return ADVICE.refused;
  if (status === 404 || status === 410) return ADVICE.gone;
  return status === 429 || status >= 500 ? ADVICE.busy : ADVICE.format;
}

const sentText = (t: Translate, { channel_kind, response_status, error }: NotificationDelivery) =>
  error ??
  (channel_kind === 'email'
    ? t('The mail server accepted the message.')
    : t('The receiver returned status {status}.', { status: response_status }));

/** How the last test of a channel went: sent, or what failed, why and what to do. */
export function ChannelTestResult({ result }: Pick<ChannelTest, 'result'>) {
  const t = useT();
  if (!result) return null;
  const { channel_name: channel, delivery, failure } = result;
  if (failure) {
    return (
      <Notice tone="danger" live title={t('Could not send test to {channel}', { channel })}>
        {failure.detail ?? failure.title}
      </Notice>
    );
  }
  if (!delivery || !hasEnded(delivery)) {
    return <Notice live title={t('Sending test to {channel}…', { channel })} />;
  }
  if (delivery.status === 'sent') {
    return (
      <Notice tone="ok" live title={t('Test sent to {channel}', { channel })}>
        {sentText(t, delivery)}
      </Notice>
    );
  }
  return (
    <Notice tone="danger" live title={t('Test of {channel} failed', { channel })}>
      {delivery.error} {t(getTestAdvice(delivery))}
    </Notice>
  );
}
