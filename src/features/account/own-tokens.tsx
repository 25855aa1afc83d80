'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { CreatedApiToken } from '@/domain/account';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageAction } from '@/ui/page-actions';
import { Section } from '@/ui/section';
import { onReactivateFailed, onTokenReactivated, TokenTable } from '../shared/api-tokens/token-table';
import { useAdding } from '../shared/use-url-state';

const NewTokenDialog = loadOnOpening(() => import('./new-token-dialog').then((module) => module.NewTokenDialog));

const CreateTokenDrawer = loadOnOpening(() =>
  import('./create-token-drawer').then((module) => module.CreateTokenDrawer),
);

/** The user's own tokens for programs. */
export function OwnTokens() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery(trpc.account.tokens.queryOptions());
  const [adding, setAdding] = useAdding();
  const [created, setCreated] = useState<CreatedApiToken | null>(null);
  const refresh = () => void queryClient.invalidateQueries(trpc.account.tokens.pathFilter());
  const revoke = useMutation(trpc.account.revokeToken.mutationOptions({ onSuccess: refresh }));
  const allow = useMutation(
    trpc.account.allowToken.mutationOptions({
      onSuccess: onTokenReactivated(t, refresh),
      onError: onReactivateFailed(t),
    }),
  );
  const create = (
    <Button variant="primary" icon={<Plus size={14} />} onClick={() => setAdding(true)}>
      {t('Create token')}
    </Button>
  );
  return (
    <Section
      title={t('API tokens')}
      description={t(
        'For scripts and tools that act for you. A token has the permissions you select, as long as you have them, too.',
      )}
      bare
    >
      {query.data?.items.length ? <PageAction>{create}</PageAction> : null}
      <TokenTable
        id="account-tokens"
        label={t('API tokens')}
        query={query}
        revoke={{ ...revoke, mutate: ({ id }, options) => revoke.mutate({ id }, options) }}
        allow={{ ...allow, mutate: ({ id }) => allow.mutate({ id }) }}
        empty={
          <EmptyState title={t('No API tokens yet')} action={create}>
            {t('Scripts and monitoring use a token of their own instead of your password.')}
          </EmptyState>
        }
      />
      {adding && (
        <CreateTokenDrawer
          onClose={() => setAdding(false)}
          onCreated={(token) => {
            refresh();
            setAdding(false);
            setCreated(token);
          }}
        />
      )}
      {created && <NewTokenDialog token={created} onClose={() => setCreated(null)} />}
    </Section>
  );
}
