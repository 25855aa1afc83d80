'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { User } from '@/domain/user';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';
import { DeleteDialog } from '../../shared/delete-dialog';
import { useSaved } from '../../shared/record-cache';

type Props = { user: User; onClose: () => void };

/** How many sessions are open now, not when the page was read. */
function useOpenSessions(user: User): number {
  const trpc = useTRPC();
  const fresh = useQuery({ ...trpc.users.get.queryOptions({ id: user.id }), staleTime: 0 });
  return (fresh.data ?? user).sessions_total;
}

const sessionsText = (t: Translate, n: number) =>
  t(
    '{n, plural, =0 {No sessions are open.} one {One open session ends immediately.} other {# open sessions end immediately.}}',
    {
      n,
    },
  );

/** Asks before an account is shut, or opened again. Mount it when it opens. */
export function ActiveDialog({ user: shown, onClose }: Props) {
  const t = useT();
  // Otherwise the question would turn around when someone else answers it first.
  const [user] = useState(shown);
  const sessions = useOpenSessions(user);
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const save = useMutation(
    trpc.users.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.users.get.queryKey({ id: saved.id }), saved);
        void queryClient.invalidateQueries(trpc.users.pathFilter());
        showToast('ok', {
          title: saved.active
            ? t('{user} activated', { user: saved.email })
            : t('{user} deactivated', { user: saved.email }),
        });
        onClose();
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={user.active ? t('Deactivate {user}?', { user: user.email }) : t('Activate {user}?', { user: user.email })}
      tone={user.active ? 'danger' : 'primary'}
      confirmLabel={user.active ? t('Deactivate user') : t('Activate user')}
      pending={save.isPending}
      error={save.error ? toFailure(save.error) : null}
      onConfirm={() => save.mutate({ id: user.id, active: !user.active, version: user.version })}
    >
      {user.active ? (
        <p>
          {sessionsText(t, sessions)} {t('Roles and history are kept. The account can be activated again.')}{' '}
          {t('API tokens stop working.')}
        </p>
      ) : (
        <p>
          {t('The user can sign in again with the same password and roles.')}{' '}
          {t('API tokens stay suspended until they are reactivated.')}
        </p>
      )}
    </ConfirmDialog>
  );
}

/** Asks before removing the second factor of a user who lost it. */
export function ResetFactorDialog({ user, onClose }: Props) {
  const t = useT();
  const sessions = useOpenSessions(user);
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const done = useSaved(onClose);
  const reset = useMutation(
    trpc.users.resetSecondFactor.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.users.get.queryKey({ id: saved.id }), saved);
        done(t('Second factor reset'), trpc.users.pathFilter());
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Reset the second factor of {user}?', { user: user.email })}
      tone="danger"
      confirmLabel={t('Reset second factor')}
      pending={reset.isPending}
      error={reset.error ? toFailure(reset.error) : null}
      onConfirm={() => reset.mutate({ id: user.id })}
    >
      <p>
        {sessionsText(t, sessions)}{' '}
        {user.second_factor_required
          ? t('Verify that this user made the request: anyone with the password can then set up another second factor.')
          : t('Verify that this user made the request: the password alone then allows sign-in.')}
      </p>
    </ConfirmDialog>
  );
}

/** Asks before an account goes. */
export function DeleteUserDialog({ user, onClose, onDeleted }: Props & { onDeleted: () => void }) {
  const t = useT();
  const sessions = useOpenSessions(user);
  const trpc = useTRPC();
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete user {name}?', { name: user.email })}
      confirmLabel={t('Delete user')}
      name={user.email}
      remove={() => client.users.delete.mutate({ id: user.id })}
      outdated={[trpc.users.pathFilter()]}
      onDeleted={onDeleted}
      onClose={onClose}
    >
      <p>
        {sessionsText(t, sessions)}{' '}
        {t("The role assignments are deleted with the account. The audit trail keeps the user's actions.")}
      </p>
    </DeleteDialog>
  );
}
