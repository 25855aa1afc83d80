'use client';
import { useCallback } from 'react';
import { browserSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { showToast } from '@/ui/toast';

/** Ends the session everywhere in this browser; the gate then shows the sign-in page. */
export function useSignOut(): () => void {
  const t = useT();
  return useCallback(() => {
    browserSession()
      .session.signOut()
      .catch((error: unknown) => {
        const { title, detail } = failureOf(error);
        showToast('danger', { id: 'sign-out', title: t('You are still signed in'), description: detail ?? title });
      });
  }, [t]);
}
