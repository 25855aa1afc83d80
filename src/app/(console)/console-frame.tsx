'use client';
import type { ReactNode } from 'react';
import { SessionGate } from '@/features/auth/session-gate';
import { useSignOut } from '@/features/auth/use-sign-out';
import { LiveUpdates } from '@/features/shared/live-updates';
import { Shell } from '@/features/shell/shell';

/** What surrounds every page of the console: the gate, live updates, the shell. */
export function ConsoleFrame({ children }: { children: ReactNode }) {
  const signOut = useSignOut();
  return (
    <SessionGate>
      {(user) => (
        <Shell
          user={{
            name: user.name,
            email: user.email,
            role: [...new Set(user.grants.map((grant) => grant.title))].join(', ') || 'No role yet',
          }}
          permissions={user.permissions}
          onSignOut={signOut}
        >
          <LiveUpdates />
          {children}
        </Shell>
      )}
    </SessionGate>
  );
}
