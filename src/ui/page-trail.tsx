'use client';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { PageActionsProvider } from './page-actions';

/** One step on the way to a page; the last one, the page itself, has no address. */
export type Crumb = { label: string; href?: string };

const NONE: readonly Crumb[] = [];
const SetContext = createContext<((crumbs: readonly Crumb[]) => void) | null>(null);
const TrailContext = createContext<readonly Crumb[]>(NONE);

/** Holds the way to the current page, below its section, for the bar at the top, and the place of its actions. */
export function PageTrailProvider({ children }: { children: ReactNode }) {
  const [crumbs, setCrumbs] = useState(NONE);
  return (
    <SetContext value={setCrumbs}>
      <TrailContext value={crumbs}>
        <PageActionsProvider>{children}</PageActionsProvider>
      </TrailContext>
    </SetContext>
  );
}

/**
 * Says where the page is below its section, while it is mounted: `<PageTrail crumbs={[{ label: cluster.name }]} />`.
 * Pages of a section's list need none.
 */
export function PageTrail({ crumbs }: { crumbs: readonly Crumb[] }) {
  const set = useContext(SetContext);
  // By content, so that callers need not keep the array.
  const key = JSON.stringify(crumbs);
  useEffect(() => {
    set?.(JSON.parse(key) as Crumb[]);
    return () => set?.(NONE);
  }, [set, key]);
  return null;
}

/** What the mounted page said. */
export function usePageTrail(): readonly Crumb[] {
  return useContext(TrailContext);
}
