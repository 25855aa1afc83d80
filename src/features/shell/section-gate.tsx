'use client';
import dynamic from 'next/dynamic';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { paths } from '@/lib/paths';
import { sectionOf } from './navigation';

/** Few ever see it: it is loaded when it is needed. */
const Forbidden = dynamic(() => import('../shared/forbidden').then((module) => module.Forbidden));

type Props = { permissions: readonly string[]; children: ReactNode };

/**
 * Shows the page only if the user holds the permission of its section anywhere; otherwise what is missing, without the page's
 * actions. The start page finds another section itself. The service decides again at every request.
 */
export function SectionGate({ permissions, children }: Props) {
  const pathname = usePathname();
  const section = pathname === paths.home() ? undefined : sectionOf(pathname);
  if (section && !permissions.includes('*') && !permissions.includes(section.permission)) {
    return <Forbidden permission={section.permission} />;
  }
  return children;
}
