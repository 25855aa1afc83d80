'use client';
import { FilePlus2, ShieldCheck } from 'lucide-react';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { type MenuEntry, RowActions } from '@/ui/menu';
import { usePermissions } from '../use-permissions';
import { type DraftSeed, draftPath } from './draft-link';

type Named = {
  seed: DraftSeed;
  /** The traffic in a few words, for those who hear the button without its row. */
  name: string;
};

/** *Allow this* and *Create policy from this*, as buttons. Nothing for users who may not write policies. */
export function DraftButtons({ seed, name }: Named) {
  const t = useT();
  const { can } = usePermissions();
  if (!can('policy:write')) return null;
  return (
    <>
      <Link
        className={buttonClass({ size: 'sm' })}
        href={draftPath(seed, 'allow')}
        aria-label={t('Allow this: {name}', { name })}
      >
        <ShieldCheck size={14} aria-hidden />
        {t('Allow this')}
      </Link>
      <Link
        className={buttonClass({ size: 'sm' })}
        href={draftPath(seed, 'as_observed')}
        aria-label={t('Create policy from this: {name}', { name })}
      >
        <FilePlus2 size={14} aria-hidden />
        {t('Create policy from this')}
      </Link>
    </>
  );
}

function draftEntries(t: Translate, seed: DraftSeed): MenuEntry[] {
  return [
    {
      kind: 'link',
      id: 'draft-allow',
      label: t('Allow this'),
      icon: <ShieldCheck />,
      render: <Link href={draftPath(seed, 'allow')} />,
    },
    {
      kind: 'link',
      id: 'draft-policy',
      label: t('Create policy from this'),
      icon: <FilePlus2 />,
      render: <Link href={draftPath(seed, 'as_observed')} />,
    },
  ];
}

/** The same as a menu, for an entry of a list. */
export function DraftMenu({ seed, name }: Named) {
  const t = useT();
  const { can } = usePermissions();
  return can('policy:write') ? <RowActions name={name} entries={draftEntries(t, seed)} /> : null;
}

/** The same as the menus of a table's rows. */
export function useDraftMenu<Row>(
  seedOf: (row: Row) => DraftSeed,
  nameOf: (row: Row) => string,
): { rowActions?: (row: Row) => { name: string; entries: readonly MenuEntry[] } } {
  const t = useT();
  const { can } = usePermissions();
  if (!can('policy:write')) return {};
  return { rowActions: (row) => ({ name: nameOf(row), entries: draftEntries(t, seedOf(row)) }) };
}
