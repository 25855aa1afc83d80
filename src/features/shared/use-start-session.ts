'use client';
import { useEffect } from 'react';
import { browserSession, useSession } from '@/lib/browser-session';

/** Restores the session once and returns its state. */
export function useStartSession() {
  const state = useSession();
  useEffect(() => {
    void browserSession().session.start();
  }, []);
  return { state, retry: () => void browserSession().session.start() };
}
