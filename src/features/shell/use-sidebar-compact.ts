'use client';
import { useStored } from '@/ui/use-stored';

/** Whether the sidebar shows icons only; remembered in this browser. */
export function useSidebarCompact(): [boolean, (compact: boolean) => void] {
  const [stored, store] = useStored('fabric.sidebar');
  return [stored === 'compact', (compact) => store(compact ? 'compact' : 'wide')];
}
