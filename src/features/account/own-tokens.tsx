'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiToken, CreatedApiToken } from '@/domain/account';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { RevokeTokenDialog } from '../shared/api-tokens/revoke-token-dialog';
import { TOKEN_COLUMNS } from '../shared/api-tokens/token-columns';
import { CreateTokenDrawer } from './create-token-drawer';
import { NewTokenDialog } from './new-token-dialog';

type Open = 'create' | { shown: CreatedApiToken } | { revoking: ApiToken } | null;

/** One's own tokens for programs. */
export function OwnTokens() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery(trpc.account.tokens.queryOptions());
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const refresh = () => void queryClient.invalidateQueries(trpc.account.tokens.pathFilter());
  const revoke = useMutation(
    trpc.account.revokeToken.mutationOptions({
      onSuccess: () => {
        refresh();
        showToast('ok', { title: 'Token revoked' });
        close();
      },
    }),
  );
  const create = (
    <Button variant="primary" size="sm" icon={<Plus size={14} />} onClick={() => setOpen('create')}>
      Create token
    </Button>
  );
  const rows = query.data?.items ?? [];
  return (
    <Section
      title="API tokens"
      description="For programs that act for you. A token does what you choose for it and may do yourself, as long as both hold."
      actions={rows.length > 0 && create}
      bare
    >
      <DataTable
        id="account-tokens"
        label="API tokens"
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
            { id: 'revoke', label: 'Revoke token', tone: 'danger', onSelect: () => setOpen({ revoking: token }) },
          ],
        })}
        empty={
          <EmptyState title="No token yet" action={create}>
            Scripts and monitoring sign in with a token of their own instead of your password.
          </EmptyState>
        }
      />
      {open === 'create' && (
        <CreateTokenDrawer
          onClose={close}
          onCreated={(shown) => {
            refresh();
            setOpen({ shown });
          }}
        />
      )}
      {open !== null && open !== 'create' && 'shown' in open && <NewTokenDialog token={open.shown} onClose={close} />}
      {open !== null && open !== 'create' && 'revoking' in open && (
        <RevokeTokenDialog
          token={open.revoking}
          revoke={{ ...revoke, mutate: () => revoke.mutate({ id: open.revoking.id }) }}
          onClose={close}
        />
      )}
    </Section>
  );
}
