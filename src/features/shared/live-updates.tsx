'use client';
import { useLiveUpdates } from '@/lib/live-updates';

/** Keeps what is shown up to date while it is mounted. */
export function LiveUpdates() {
  useLiveUpdates();
  return null;
}
