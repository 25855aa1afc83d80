'use client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SessionGate } from '@/features/auth/session-gate';
import { useSignOut } from '@/features/auth/use-sign-out';
import { setupStatusQuery } from '@/features/shared/session-start';
import { Shell } from '@/features/shell/shell';
import { useT } from '@/lib/i18n/use-t';
import { LiveUpdates } from '@/lib/live-updates';

/** What surrounds every page of the console: the gate, live updates, the shell. */
export default function ConsoleLayout({ children }: { children: ReactNode }) {
  const t = useT();
  const signOut = useSignOut();
  // An installation is a demo from its first start on, or never.
  const { data: status } = useQuery({ ...setupStatusQuery, staleTime: Number.POSITIVE_INFINITY });
  return (
    <SessionGate>
      {(user) => (
        <Shell
          user={{
            name: user.name,
            email: user.email,
            role: [...new Set(user.grants.map((grant) => grant.title))].join(', ') || t('No role yet'),
          }}
          permissions={user.permissions}
          demo={status?.demo}
          onSignOut={signOut}
        >
          <LiveUpdates />
          {children}
        </Shell>
      )}
    </SessionGate>
  );
}
