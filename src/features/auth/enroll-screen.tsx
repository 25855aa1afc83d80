'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { browserSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Skeleton } from '@/ui/loading';
import { showToast } from '@/ui/toast';
import { AuthFrame } from '../shared/auth-frame';
import { Brand } from '../shared/brand';
import { QueryView } from '../shared/query-view';
import { Enrolment } from '../shared/second-factor/enrollment';
import { useSignOut } from './use-sign-out';

/** In place of every page, for those whose role asks for a second factor that they do not have yet. */
export function EnrolScreen({ email }: { email: string }) {
  const t = useT();
  const signOut = useSignOut();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery(trpc.account.secondFactor.queryOptions());
  const finish = () => {
    // The account page must not show what this screen was shown before.
    void queryClient.invalidateQueries(trpc.account.pathFilter());
    browserSession()
      .session.reload()
      .catch(() => showToast('danger', { title: t('Cannot reach Fabric'), description: t('Reload the page.') }));
  };
  return (
    <AuthFrame brand={<Brand />}>
      <h1 className="text-lg">{t('Set up a second factor')}</h1>
      <QueryView query={query} skeleton={<Skeleton className="h-48" />}>
        {(state) => (
          <>
            {state.required_by.length > 0 && (
              <p className="text-pretty text-muted">
                {t(
                  '{roles}: {n, plural, one {this role requires} other {these roles require}} a second factor. Set up the second factor before you continue.',
                  { roles: state.required_by.join(', '), n: state.required_by.length },
                )}
              </p>
            )}
            <Enrolment state={state} onDone={finish} />
          </>
        )}
      </QueryView>
      <div className="flex flex-wrap items-center justify-between gap-2 border-t pt-3">
        <span className="min-w-0 truncate text-muted">{email}</span>
        <Button variant="ghost" size="sm" onClick={signOut}>
          {t('Sign out')}
        </Button>
      </div>
    </AuthFrame>
  );
}
