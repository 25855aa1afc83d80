'use client';
import { usePathname } from 'next/navigation';
import { useT } from '@/lib/i18n/use-t';
import { Link } from '@/ui/link';
import { usePageTrail } from '@/ui/page-trail';
import { sectionOf } from './navigation';

/** Where the page is: its section, then what the page itself says. On phones only the last two steps. */
export function Breadcrumbs() {
  const t = useT();
  const section = sectionOf(usePathname());
  const trail = usePageTrail();
  const crumbs = [...(section ? [{ label: t(section.label), href: section.href }] : []), ...trail];
  if (crumbs.length === 0) return <span className="flex-1" />;
  return (
    <nav aria-label={t('Breadcrumb')} className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1.5">
        {crumbs.map((crumb, index) => {
          const last = index === crumbs.length - 1;
          return (
            <li
              key={`${crumb.href ?? ''} ${crumb.label}`}
              className={`flex min-w-0 items-center gap-1.5 ${last ? '' : 'shrink'} ${index < crumbs.length - 2 ? 'max-md:hidden' : ''}`}
            >
              {index > 0 && (
                <span aria-hidden="true" className="text-faint">
                  /
                </span>
              )}
              {last || !crumb.href ? (
                <span aria-current={last ? 'page' : undefined} className={last ? 'truncate font-medium' : 'truncate'}>
                  {crumb.label}
                </span>
              ) : (
                <Link href={crumb.href} className="truncate rounded-sm text-muted hover:text-text">
                  {crumb.label}
                </Link>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
