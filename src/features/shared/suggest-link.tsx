'use client';
import { Sparkles } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { usePermissions } from './use-permissions';

/** At most one of these; without one the page asks for it. */
type Scope = {
  group_id?: string;
  workload_id?: string;
};

/** Leads to the page that suggests policies, with a scope filled in. Nothing for users who may not write policies or see no flows. */
export function SuggestLink({ scope = {} }: { scope?: Scope }) {
  const t = useT();
  const { can } = usePermissions();
  if (!can('policy:write') || !can('flow:read')) return null;
  return (
    <Link className={buttonClass()} href={paths.newSuggestion(scope)}>
      <Sparkles size={14} aria-hidden />
      {t('Suggest policies')}
    </Link>
  );
}
