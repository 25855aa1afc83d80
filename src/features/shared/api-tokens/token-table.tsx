'use client';
import { type ReactNode, useMemo, useState } from 'react';
import type { ApiToken } from '@/domain/account';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { DataTable } from '@/ui/data-table';
import { showToast } from '@/ui/toast';
import { RevokeTokenDialog } from './revoke-token-dialog';
import { tokenColumns } from './token-columns';

type Props = {
  id: string;
  label: string;
  query: {
    data: { items: ApiToken[] } | undefined;
    error: unknown;
    isPending: boolean;
    refetch: () => unknown;
  };
  revoke: {
    mutate: (token: ApiToken, options: { onSuccess: () => void }) => void;
    error: unknown;
    isPending: boolean;
    reset: () => void;
  };
  /** Lets a suspended token act again. */
  allow: { mutate: (token: ApiToken) => void; isPending: boolean };
  /** Why tokens cannot be revoked or allowed again. */
  disabledReason?: string | null;
  empty: ReactNode;
};

/** API tokens, each of which can be revoked after a question. */
export function TokenTable({ id, label, query, revoke, allow, disabledReason, empty }: Props) {
  const t = useT();
  const columns = useMemo(() => tokenColumns(t), [t]);
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const close = () => {
    setRevoking(null);
    revoke.reset();
  };
  const rows = query.data?.items ?? [];
  return (
    <>
      <DataTable
        id={id}
        label={label}
        noun={{ one: t('token'), many: t('tokens') }}
        columns={columns}
        rows={rows}
        rowId={(token) => token.id}
        total={rows.length}
        loading={query.isPending}
        error={query.error ? toFailure(query.error) : null}
        onRetry={() => void query.refetch()}
        height="auto"
        rowActions={(token) => ({
          name: token.name,
          entries: [
            {
              id: 'allow',
              label: t('Reactivate token'),
              onSelect: () => allow.mutate(token),
              disabledReason:
                disabledReason ??
                (allow.isPending
                  ? t('Saving')
                  : token.suspended_at === null &&
                    t('The token is not suspended. Only tokens of a deactivated account are.')),
            },
            {
              id: 'revoke',
              label: t('Revoke token'),
              tone: 'danger',
              onSelect: () => setRevoking(token),
              disabledReason,
            },
          ],
        })}
        empty={empty}
      />
      {revoking && (
        <RevokeTokenDialog
          token={revoking}
          revoke={{
            ...revoke,
            mutate: () =>
              revoke.mutate(revoking, {
                onSuccess: () => {
                  showToast('ok', { title: t('Token revoked') });
                  close();
                },
              }),
          }}
          onClose={close}
        />
      )}
    </>
  );
}

/** What happens when a suspended token acts again. */
export const onTokenReactivated = (t: Translate, refresh: () => void) => () => {
  refresh();
  showToast('ok', { title: t('Token reactivated') });
};

export const onReactivateFailed = (t: Translate) => (error: unknown) => {
  const failure = toFailure(error);
  showToast('danger', { title: t('Could not reactivate token'), description: failure.detail ?? failure.title });
};
