'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UserIdentity } from '@/domain/sign-in-provider';
import type { User } from '@/domain/user';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Skeleton } from '@/ui/loading';
import { Section } from '@/ui/section';
import { Mono, RelativeTime } from '@/ui/values';
import { QueryView } from '../../shared/query-view';
import { useSaved } from '../../shared/record-cache';
import { usePermissions } from '../../shared/use-permissions';

/** The accounts at a sign-in provider with which a user can sign in, and how to unlink them. */
export function UserIdentities({ user }: { user: User }) {
  const t = useT();
  const trpc = useTRPC();
  const { reason } = usePermissions();
  const query = useQuery(trpc.users.identities.queryOptions({ id: user.id }));
  const [parting, setParting] = useState<UserIdentity | null>(null);
  return (
    <Section title={t('Sign-in provider accounts')}>
      <QueryView query={query} skeleton={<Skeleton className="h-6" />}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">
              {t(
                'No linked accounts. The first sign-in through a provider links one, if the provider settings allow this.',
              )}
            </p>
          ) : (
            <ul className="flex flex-col gap-3">
              {items.map((identity) => (
                <li key={identity.id} className="flex flex-wrap items-center justify-between gap-2">
                  <div className="min-w-0">
                    <p>
                      {identity.email ?? t('No email address')}{' '}
                      <span className="text-muted">
                        {t.rich('last used {at}', {
                          at: <RelativeTime at={identity.last_used_at} none={t('never')} />,
                        })}
                      </span>
                    </p>
                    <p className="text-sm text-muted">
                      {t.rich('{subject} at {issuer}', {
                        subject: <Mono wrap>{identity.subject}</Mono>,
                        issuer: <Mono wrap>{identity.issuer}</Mono>,
                      })}
                    </p>
                  </div>
                  <Button size="sm" onClick={() => setParting(identity)} disabledReason={reason('user:write')}>
                    {t('Unlink')}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
      {parting && <UnlinkDialog user={user} identity={parting} onClose={() => setParting(null)} />}
    </Section>
  );
}

function UnlinkDialog({ user, identity, onClose }: { user: User; identity: UserIdentity; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const done = useSaved(onClose);
  const unlink = useMutation(
    trpc.users.unlinkIdentity.mutationOptions({
      onSuccess: () => done(t('Account unlinked'), trpc.users.pathFilter()),
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Unlink {account}?', { account: identity.email ?? identity.subject })}
      tone="danger"
      confirmLabel={t('Unlink account')}
      pending={unlink.isPending}
      error={unlink.error ? toFailure(unlink.error) : null}
      onConfirm={() => unlink.mutate({ id: user.id, identity_id: identity.id })}
    >
      <p>
        {t(
          'All sessions of {user} end, roles of groups are removed and API tokens are suspended. This provider account can no longer sign in unless it is linked again by verified email address.',
          { user: user.email },
        )}
      </p>
    </ConfirmDialog>
  );
}
