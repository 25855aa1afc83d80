'use client';
import clsx from 'clsx';
import { usePathname } from 'next/navigation';
import { useT } from '@/lib/i18n/use-t';
import { Link } from '@/ui/link';
import { Tooltip } from '@/ui/tooltip';
import { findSection, type NavGroup } from './navigation';

type Props = {
  groups: readonly NavGroup[];
  /** Icons only, with the labels as tooltips. */
  compact?: boolean;
  onNavigate?: () => void;
};

/** The sections as links; the one the page belongs to is marked. */
export function NavList({ groups, compact = false, onNavigate }: Props) {
  const t = useT();
  const current = findSection(usePathname())?.id;
  return (
    <nav aria-label={t('Sections')} className="flex flex-col gap-1 p-2">
      {groups.map((group) => (
        <div key={group.id} className="flex flex-col">
          <p
            // A heading over a single entry would only repeat it.
            className={clsx('px-2 pb-0.5 text-sm text-faint', (compact || group.entries.length === 1) && 'sr-only')}
            id={`nav-${group.id}`}
          >
            {t(group.label)}
          </p>
          <ul aria-labelledby={`nav-${group.id}`} className="flex flex-col">
            {group.entries.map(({ id, label, href, icon: Icon }) => (
              <li key={id}>
                <Tooltip content={compact ? t(label) : null} side="right">
                  <Link
                    href={href}
                    aria-current={id === current ? 'page' : undefined}
                    aria-label={compact ? t(label) : undefined}
                    onClick={onNavigate}
                    className={clsx(
                      'flex h-7 items-center gap-2.5 pointer-coarse:h-9 rounded-md text-muted hover:bg-surface-3/70 hover:text-text',
                      'aria-[current=page]:bg-surface-3 aria-[current=page]:font-medium aria-[current=page]:text-text',
                      compact ? 'justify-center' : 'px-2',
                    )}
                  >
                    <Icon size={16} aria-hidden className="shrink-0" />
                    {!compact && <span className="truncate">{t(label)}</span>}
                  </Link>
                </Tooltip>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
