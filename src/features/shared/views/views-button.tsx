'use client';
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';

const ViewsDrawer = loadOnOpening(() => import('./views-drawer').then((module) => module.ViewsDrawer));

/** Opens the saved views of this page: filters and everything else that its URL holds, under a name. */
export function ViewsButton() {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        className="max-md:!min-h-11"
        icon={<Bookmark size={14} />}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {t('Views')}
      </Button>
      <ViewsDrawer open={open} onClose={() => setOpen(false)} />
    </>
  );
}
