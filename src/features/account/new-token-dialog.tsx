'use client';
import type { CreatedApiToken } from '@/domain/account';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { panelActions } from '@/ui/button-class';
import { CodeBlock } from '@/ui/code-block';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';

/** Shows a new token, this once. */
export function NewTokenDialog({ token, onClose }: { token: CreatedApiToken; onClose: () => void }) {
  const t = useT();
  const example = `curl -H 'Authorization: Bearer ${token.token}' \\\n  ${window.location.origin}/api/v1/auth/me`;
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={t('Token {name}', { name: token.name })} persistent>
      <div className="-mb-4 flex flex-col gap-4">
        <Notice tone="warn" title={t('Copy the token now')}>
          {t('The token is stored as a hash and cannot be shown again. Anyone with this token has its permissions.')}
        </Notice>
        <CodeBlock label={t('API token')} code={token.token} wrap />
        <CodeBlock label={t('Example')} code={example} wrap />
        <div className={panelActions}>
          <Button variant="primary" onClick={onClose}>
            {t('I have copied the token')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
