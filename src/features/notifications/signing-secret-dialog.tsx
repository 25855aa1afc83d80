'use client';
import type { CreatedNotificationChannel } from '@/domain/notifications/channel';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { panelActions } from '@/ui/button-class';
import { CodeBlock } from '@/ui/code-block';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';

type Props = { channel: Pick<CreatedNotificationChannel, 'name'>; secret: string; onClose: () => void };

/** Shows the signing secret of a webhook, this once. */
export function SigningSecretDialog({ channel, secret, onClose }: Props) {
  const t = useT();
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Signing secret of {name}', { name: channel.name })}
      persistent
    >
      <div className="-mb-4 flex flex-col gap-4">
        <Notice tone="warn" title={t('Copy the signing secret now')}>
          {t(
            'The secret is stored encrypted and not shown again. Only receivers that verify signatures need the secret; chat systems do not.',
          )}
        </Notice>
        <CodeBlock label={t('Signing secret')} code={secret} wrap />
        <p className="text-sm text-pretty text-muted">
          {t(
            'Each request has the headers Fabric-Timestamp and Fabric-Signature: v1= and the HMAC-SHA-256 of timestamp, period and body.',
          )}{' '}
          {t('While an old secret is valid, Fabric-Signature-Previous has the signature made with the old secret.')}
        </p>
        <div className={panelActions}>
          <Button variant="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
