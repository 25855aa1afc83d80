'use client';
import { Ellipsis } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from './icon-button';
import { Menu, type MenuEntry } from './menu';

/** The menu at the end of a row. `name` tells which row: "Actions for web-01". */
export function RowActions({ name, entries }: { name: string; entries: readonly MenuEntry[] }) {
  const t = useT();
  return (
    <Menu
      align="end"
      entries={entries}
      trigger={<IconButton size="sm" label={t('Actions for {name}', { name })} icon={<Ellipsis size={14} />} />}
    />
  );
}
