'use client';
import { Menu as MenuIcon } from 'lucide-react';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { NavList } from './nav-list';
import type { NavGroup } from './navigation';

/** The sections on phones: a button that opens them over the page. */
export function MobileNav({ groups }: { groups: readonly NavGroup[] }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <Drawer
      open={open}
      onOpenChange={setOpen}
      side="left"
      size="sm"
      title="Fabric"
      trigger={<IconButton label={t('Open navigation')} icon={<MenuIcon size={18} />} className="-ml-1 md:hidden" />}
    >
      <div className="-m-2">
        <NavList groups={groups} onNavigate={() => setOpen(false)} />
      </div>
    </Drawer>
  );
}
