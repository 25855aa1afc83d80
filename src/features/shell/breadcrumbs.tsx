'use client';
import { usePathname } from 'next/navigation';
import { useT } from '@/lib/i18n/use-t';
import { Link } from '@/ui/link';
import { usePageTrail } from '@/ui/page-trail';
import { findSection } from './navigation';

/**
 * The way to the page: its section and what is between. The page itself is not a step, its title follows below; so the lists of the
 * navigation have none. On phones only the last step.
 */
export function Breadcrumbs() {
  const t = useT();
  const pathname = usePathname();
  const section = findSection(pathname);
  const trail = usePageTrail();
  const crumbs = [
    ...(section && section.href !== pathname ? [{ label: t(section.label), href: section.href }] : []),
    ...trail.filter((crumb) => crumb.href !== undefined),
  ];
  if (crumbs.length === 0) return <span className="flex-1" />;
  return (
    <nav aria-label={t('Breadcrumb')} className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1.5">
        {crumbs.map((crumb, index) => (
          <li
            key={`${crumb.href} ${crumb.label}`}
            className={`flex min-w-0 items-center gap-1.5 ${index < crumbs.length - 1 ? 'max-md:hidden' : ''}`}
          >
            <Link href={crumb.href ?? ''} className="truncate rounded-sm py-1 text-muted hover:text-text">
              {crumb.label}
            </Link>
            <span aria-hidden="true" className="text-faint">
              /
            </span>
          </li>
        ))}
      </ol>
    </nav>
  );
}
