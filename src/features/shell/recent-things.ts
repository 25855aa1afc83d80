'use client';
import { usePathname } from 'next/navigation';
import { useEffect } from 'react';
import { MAX_RECENT } from '@/domain/page-limits';

/** Ids only: names are read again, so that a thing that is no longer visible to the user has none. */
const getStorageKey = (userId: string) => `fabric.recent.${userId}`;
const UUID = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|$)/;
const KEPT = 8;

/** The ids of the things whose pages this user opened last in this browser, the newest first. */
export function readRecent(userId: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(getStorageKey(userId)) ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored.filter((id) => typeof id === 'string' && UUID.test(`/${id}`)).slice(0, MAX_RECENT);
  } catch {
    return [];
  }
}

/** Remembers in this browser whose pages the user opens. */
export function useRecentThings(userId: string | null): void {
  const id = UUID.exec(usePathname())?.[1];
  useEffect(() => {
    if (userId === null || id === undefined) return;
    const ids = [id, ...readRecent(userId).filter((one) => one !== id)].slice(0, KEPT + 1);
    try {
      localStorage.setItem(getStorageKey(userId), JSON.stringify(ids));
    } catch {
      // Storage is full or forbidden: nothing is remembered.
    }
  }, [userId, id]);
}
