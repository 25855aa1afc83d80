'use client';
import { useRef } from 'react';
import { focusList, useSingleKeys } from '@/ui/keys';
import { useGuardedPush } from '../shared/use-unsaved-guard';
import type { NavGroup } from './navigation';

/** How long the letter after `g` is waited for. */
const WAIT_MS = 1_500;

/** The shortcuts of every page: `?`, `g` and the letter of a page, `j` and `k` into the list. */
export function useShortcuts(groups: readonly NavGroup[], onShowShortcuts: () => void): void {
  const push = useGuardedPush();
  const wentAt = useRef(Number.NEGATIVE_INFINITY);
  useSingleKeys((event) => {
    const { key } = event;
    const follows = event.timeStamp - wentAt.current < WAIT_MS;
    wentAt.current = Number.NEGATIVE_INFINITY;
    if (follows) {
      const page = groups.flatMap(({ entries }) => entries).find((entry) => entry.key === key);
      if (!page) return;
      event.preventDefault();
      push(page.href);
    } else if (key === 'g') wentAt.current = event.timeStamp;
    else if (key === '?') {
      event.preventDefault();
      onShowShortcuts();
    } else if ((key === 'j' || key === 'k') && focusList()) event.preventDefault();
  });
}
