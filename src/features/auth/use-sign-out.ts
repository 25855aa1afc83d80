'use client';
import { useCallback } from 'react';
import { browserSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { showToast } from '@/ui/toast';

/**
 * Ends the session everywhere in this browser; the gate then shows the sign-in page. After a sign-in through a
 * provider the browser goes there to sign out as well, or the sign-in page says that the provider's session
 * continues.
 */
export function useSignOut(): () => void {
  const t = useT();
  return useCallback(() => {
    browserSession()
      .session.signOut()
      .then(({ provider_session, provider_url }) => {
        // A whole page load: the gate's own way to the sign-in page would take the words away.
        if (provider_url !== null && /^https?:/.test(provider_url)) window.location.assign(provider_url);
        else if (provider_session === 'kept') window.location.assign(paths.login({ signed_out: 'here' }));
      })
      .catch((error: unknown) => {
        const { title, detail } = toFailure(error);
        showToast('danger', { id: 'sign-out', title: t('You are still signed in'), description: detail ?? title });
      });
  }, [t]);
}
