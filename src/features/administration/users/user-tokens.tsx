'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { User } from '@/domain/user';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { EmptyState } from '@/ui/empty-state';
import { onReactivateFailed, onTokenReactivated, TokenTable } from '../../shared/api-tokens/token-table';
import { usePermissions } from '../../shared/use-permissions';

/** The tokens for programs that a user made. */
export function UserTokens({ user }: { user: User }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const refresh = () => void queryClient.invalidateQueries(trpc.users.tokens.pathFilter());
  const revoke = useMutation(trpc.users.revokeToken.mutationOptions({ onSuccess: refresh }));
  const allow = useMutation(
    trpc.users.allowToken.mutationOptions({
      onSuccess: onTokenReactivated(t, refresh),
      onError: onReactivateFailed(t),
    }),
  );
  return (
    <TokenTable
      id="user-tokens"
      label={t('API tokens of {user}', { user: user.email })}
      query={useQuery(trpc.users.tokens.queryOptions({ id: user.id }))}
      revoke={{ ...revoke, mutate: ({ id }, options) => revoke.mutate({ id: user.id, token_id: id }, options) }}
      allow={{ ...allow, mutate: ({ id }) => allow.mutate({ id: user.id, token_id: id }) }}
      disabledReason={reason('user:write')}
      empty={
        <EmptyState title={t('No API tokens')}>
          {t('Users create tokens for programs on their own account page.')}
        </EmptyState>
      }
    />
  );
}
