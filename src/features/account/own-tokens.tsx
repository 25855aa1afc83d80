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
import { TokenTable, tokenAllowed, tokenNotAllowed } from '../shared/api-tokens/token-table';

const NewTokenDialog = loadOnOpening(() => import('./new-token-dialog').then((module) => module.NewTokenDialog));

const CreateTokenDrawer = loadOnOpening(() =>
  import('./create-token-drawer').then((module) => module.CreateTokenDrawer),
);

type Open = 'create' | { shown: CreatedApiToken } | null;

/** The user's own tokens for programs. */
export function OwnTokens() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery(trpc.account.tokens.queryOptions());
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const refresh = () => void queryClient.invalidateQueries(trpc.account.tokens.pathFilter());
  const revoke = useMutation(trpc.account.revokeToken.mutationOptions({ onSuccess: refresh }));
  const allow = useMutation(
    trpc.account.allowToken.mutationOptions({ onSuccess: tokenAllowed(t, refresh), onError: tokenNotAllowed(t) }),
  );
  const create = (
    <Button variant="primary" icon={<Plus size={14} />} onClick={() => setOpen('create')}>
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
      {open === 'create' && (
        <CreateTokenDrawer
          onClose={close}
          onCreated={(shown) => {
            refresh();
            setOpen({ shown });
          }}
        />
      )}
      {open !== null && open !== 'create' && <NewTokenDialog token={open.shown} onClose={close} />}
    </Section>
  );
}
