'use client';
import { Download } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { URL_FLAG, useUrlValue, withInitial } from '@/lib/url-state';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { loadLater } from '@/ui/load-on-opening';
import { Skeleton } from '@/ui/loading';
import { usePermissions } from '../use-permissions';

// Most visits to a page never open it.
const Content = loadLater(
  () => import('./install-agents-content').then((module) => module.InstallAgentsContent),
  <Skeleton className="h-40 w-full" />,
);

type Props = {
  /** The cluster that is chosen first. */
  clusterId?: string | null;
  variant?: 'primary' | 'secondary';
};

/** Installs the agent on many nodes by one command. A link with `install=true` opens it. */
export function InstallAgents({ clusterId = null, variant = 'secondary' }: Props) {
  const t = useT();
  const { reason } = usePermissions();
  const disabledReason = reason('agent:install');
  const [open, setOpen] = useUrlValue('install', withInitial(URL_FLAG, false));
  const close = () => void setOpen(null);
  return (
    <>
      <Button
        variant={variant}
        icon={<Download size={14} />}
        onClick={() => void setOpen(true)}
        disabledReason={disabledReason}
      >
        {t('Install agents')}
      </Button>
      <Dialog
        open={open && disabledReason === null}
        onOpenChange={(next) => !next && close()}
        size="lg"
        persistent
        title={t('Install agents')}
        description={t('One command installs the agent on every node of a cluster that has none.')}
        footer={<Button onClick={close}>{t('Close')}</Button>}
      >
        <Content clusterId={clusterId} />
      </Dialog>
    </>
  );
}
