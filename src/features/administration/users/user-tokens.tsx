'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiToken } from '@/domain/account';
import type { User } from '@/domain/user';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { showToast } from '@/ui/toast';
import { RevokeTokenDialog } from '../../shared/api-tokens/revoke-token-dialog';
import { TOKEN_COLUMNS } from '../../shared/api-tokens/token-columns';
import { usePermissions } from '../../shared/use-permissions';

/** The tokens for programs that a user made. */
export function UserTokens({ user }: { user: User }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const query = useQuery(trpc.users.tokens.queryOptions({ id: user.id }));
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const revoke = useMutation(
    trpc.users.revokeToken.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries(trpc.users.tokens.pathFilter());
        showToast('ok', { title: 'Token revoked' });
        setRevoking(null);
      },
    }),
  );
  const rows = query.data?.items ?? [];
  return (
    <>
      <DataTable
        id="user-tokens"
        label={`API tokens of ${user.email}`}
        noun={{ one: 'token', many: 'tokens' }}
        columns={TOKEN_COLUMNS}
        rows={rows}
        rowId={(token) => token.id}
        total={rows.length}
        loading={query.isPending}
        error={query.error && failureOf(query.error)}
        onRetry={() => void query.refetch()}
        height="auto"
        rowActions={(token) => ({
          name: token.name,
          entries: [
            {
              id: 'revoke',
              label: 'Revoke token',
              tone: 'danger',
              onSelect: () => setRevoking(token),
              disabledReason: reason('user:write'),
            },
          ],
        })}
        empty={<EmptyState title="No API token">Users make tokens for programs on their account page.</EmptyState>}
      />
      {revoking && (
        <RevokeTokenDialog
          token={revoking}
          revoke={{ ...revoke, mutate: () => revoke.mutate({ id: user.id, token_id: revoking.id }) }}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  );
}
