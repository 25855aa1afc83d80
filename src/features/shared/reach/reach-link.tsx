'use client';
import { Route } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { usePermissions } from '../use-permissions';
import { pathCheckPath } from './ends';

/** Leads from a thing to the path check, with its addresses filled in as the destination or the source. */
export function ReachLink(question: Parameters<typeof pathCheckPath>[0]) {
  const t = useT();
  const { can } = usePermissions();
  if (!can('workload:read')) return null;
  return (
    <Link className={buttonClass()} href={pathCheckPath(question)}>
      <Route size={14} aria-hidden />
      {t('Path check')}
    </Link>
  );
}
