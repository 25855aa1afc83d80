'use client';
import type { ApiToken } from '@/domain/account';
import { failureOf } from '@/lib/problem';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { RelativeTime } from '@/ui/relative-time';

type Props = {
  token: ApiToken;
  revoke: { mutate: () => void; error: unknown; isPending: boolean };
  onClose: () => void;
};

/** Asks before a token stops working. */
export function RevokeTokenDialog({ token, revoke, onClose }: Props) {
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={`Revoke token ${token.name}?`}
      confirmLabel="Revoke token"
      pending={revoke.isPending}
      error={revoke.error ? failureOf(revoke.error) : null}
      onConfirm={() => revoke.mutate()}
    >
      <p>
        The program that uses it is refused at once.{' '}
        {token.last_used_at ? (
          <>
            It was last used <RelativeTime at={token.last_used_at} />.
          </>
        ) : (
          'It was never used.'
        )}
      </p>
    </ConfirmDialog>
  );
}
