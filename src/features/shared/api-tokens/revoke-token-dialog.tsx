'use client';
import type { ApiToken } from '@/domain/account';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { RelativeTime } from '@/ui/values';

type Props = {
  token: ApiToken;
  revoke: { mutate: () => void; error: unknown; isPending: boolean };
  onClose: () => void;
};

/** Asks before a token stops working. */
export function RevokeTokenDialog({ token, revoke, onClose }: Props) {
  const t = useT();
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Revoke token {name}?', { name: token.name })}
      confirmLabel={t('Revoke token')}
      pending={revoke.isPending}
      error={revoke.error ? toFailure(revoke.error) : null}
      onConfirm={() => revoke.mutate()}
    >
      <p>
        {token.last_used_at
          ? t.rich('Programs that use this token are refused immediately. Last used {time}.', {
              time: <RelativeTime at={token.last_used_at} />,
            })
          : t('Programs that use this token are refused immediately. The token was never used.')}
      </p>
    </ConfirmDialog>
  );
}
