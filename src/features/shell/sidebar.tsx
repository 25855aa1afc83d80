'use client';
import clsx from 'clsx';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '@/ui/button';
import { useStored } from '@/ui/use-stored';
import { Brand } from '../shared/brand';
import { NavList } from './nav-list';
import type { NavGroup } from './navigation';

/** The sections at the left edge of wide windows; on phones the same list is in a drawer. */
export function Sidebar({ groups }: { groups: readonly NavGroup[] }) {
  const t = useT();
  const [stored, store] = useStored('fabric.sidebar');
  const compact = stored === 'compact';
  const setCompact = (next: boolean) => store(next ? 'compact' : 'wide');
  return (
    <aside
      aria-label={t('Navigation')}
      className={clsx(
        'flex shrink-0 flex-col border-r bg-canvas max-md:hidden print:hidden',
        compact ? 'w-13' : 'w-52',
      )}
    >
      <div
        className={clsx(
          'flex shrink-0 items-center',
          compact ? 'flex-col gap-1 pt-2' : 'h-11 justify-between pr-2 pl-4',
        )}
      >
        <Brand compact={compact} />
        <IconButton
          label={compact ? t('Expand sidebar') : t('Collapse sidebar')}
          aria-expanded={!compact}
          icon={compact ? <PanelLeftOpen size={16} /> : <PanelLeftClose size={16} />}
          onClick={() => setCompact(!compact)}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <NavList groups={groups} compact={compact} />
      </div>
    </aside>
  );
}
